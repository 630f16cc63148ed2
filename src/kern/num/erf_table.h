// kern/num/erf_table.h - the rational functions of the error function.
//
// W. J. Cody, "Rational Chebyshev approximations for the error function",
// Mathematics of Computation 23 (1969): highest powers first, what stands over
// the line and under it. SMALL is of x * x, erf(x) / x up to 0.46875; MIDDLE is
// of x, exp(x * x) erfc(x) from there to 4.
#ifndef TENON_KERN_ERF_TABLE_H
#define TENON_KERN_ERF_TABLE_H

#define TENON_ERF_SMALL                                               \
  {                                                                   \
    1.85777706184603153e-1, 3.16112374387056560, 113.864154151050156, \
        377.485237685302021, 3209.37758913846947                      \
  }
#define TENON_ERF_SMALL_UNDER                                           \
  {                                                                     \
    1.0, 23.6012909523441209, 244.024637934444173, 1282.61652607737228, \
        2844.23683343917062                                             \
  }
#define TENON_ERFC_MIDDLE                                              \
  {                                                                    \
    2.15311535474403846e-8, 0.564188496988670089, 8.88314979438837594, \
        66.1191906371416295, 298.635138197400131, 881.952221241769090, \
        1712.04761263407058, 2051.07837782607147, 1230.33935479799725  \
  }
#define TENON_ERFC_MIDDLE_UNDER                                         \
  {                                                                     \
    1.0, 15.7449261107098347, 117.693950891312499, 537.181101862009858, \
        1621.38957456669019, 3290.79923573345963, 4362.61909014324716,  \
        3439.36767414372164, 1230.33935480374942                        \
  }

#endif  // TENON_KERN_ERF_TABLE_H
