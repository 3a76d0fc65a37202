/* One RK4 step of a class-1 structure with rigid bars, as a C programmer would write it: the yardstick for the compiled
   Python. Same equations and tables as taut: q, v of 3n coordinates, cables that only pull, bars as constraints whose
   multiplier matrix is diagonal; all nodes free. */
#include <math.h>
#include <string.h>

typedef struct {
    int nodes, cables, bars;
    const long *cable_first, *cable_second, *bar_first, *bar_second; /* first coordinate of a node */
    const double *stiffness, *rest, *length, *own, *cross;           /* own, cross: the bar's inverse mass block */
} model;

static void rate(const model *m, const double *y, double *out) {
    const int size = 3 * m->nodes;
    const double *q = y, *v = y + size;
    double *a = out + size, f[size];
    memset(f, 0, sizeof f);
    for (int k = 0; k < m->cables; k++) {
        const long i = m->cable_first[k], j = m->cable_second[k];
        const double x = q[j] - q[i], w = q[j + 1] - q[i + 1], z = q[j + 2] - q[i + 2];
        const double length = sqrt(x * x + w * w + z * z), stretch = length - m->rest[k];
        if (stretch > 0.0) {
            const double density = m->stiffness[k] * stretch / length;
            f[i] += density * x; f[i + 1] += density * w; f[i + 2] += density * z;
            f[j] -= density * x; f[j + 1] -= density * w; f[j + 2] -= density * z;
        }
    }
    for (int k = 0; k < m->bars; k++) {
        const long i = m->bar_first[k], j = m->bar_second[k];
        const double own = m->own[k], cross = m->cross[k], per = 1.0 / m->length[k];
        double u[3], rates = 0.0, soft = 0.0;
        for (int axis = 0; axis < 3; axis++) {
            const double w = v[j + axis] - v[i + axis];
            u[axis] = (q[j + axis] - q[i + axis]) * per;
            a[i + axis] = own * f[i + axis] + cross * f[j + axis];
            a[j + axis] = cross * f[i + axis] + own * f[j + axis];
            rates += u[axis] * (a[j + axis] - a[i + axis]) + w * w * per;
            soft += u[axis] * u[axis];
        }
        const double push = rates / (2.0 * (own - cross) * soft) * (own - cross);
        for (int axis = 0; axis < 3; axis++) {
            a[i + axis] += push * u[axis];
            a[j + axis] -= push * u[axis];
        }
    }
    memcpy(out, v, size * sizeof(double));
}

void march(const model *m, double *y, double h, long steps) {
    const int state = 6 * m->nodes;
    double k1[state], k2[state], k3[state], k4[state], trial[state];
    for (long n = 0; n < steps; n++) {
        rate(m, y, k1);
        for (int i = 0; i < state; i++) trial[i] = y[i] + 0.5 * h * k1[i];
        rate(m, trial, k2);
        for (int i = 0; i < state; i++) trial[i] = y[i] + 0.5 * h * k2[i];
        rate(m, trial, k3);
        for (int i = 0; i < state; i++) trial[i] = y[i] + h * k3[i];
        rate(m, trial, k4);
        for (int i = 0; i < state; i++) y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]);
    }
}
