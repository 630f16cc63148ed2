// kern/num/gelu_table.h - the tail of the normal distribution from t on, piece
// by piece, t up to TENON_GELU_NEAR.
//
// A piece is where t (a t + b) rounds to its number, so that pieces become
// shorter where the tail falls faster. First the place from which a piece is
// measured; then the constants of a polynomial, that of the highest power but
// one first: least maximal errors relative to the tail, each constant rounded
// with the rest fitted anew. The highest constant needs few bits: its upper
// half is the lower half of the place, of which there are several to choose
// from near the middle of a piece, and the one taken gives the least error in
// floats.
#ifndef TENON_KERN_GELU_TABLE_H
#define TENON_KERN_GELU_TABLE_H

#define TENON_GELU_NEAR 6.4f
#define TENON_GELU_MAGIC 12582912.0f  // 1.5 * 2^23
#define TENON_GELU_SLOPE 0.65f        // b
#define TENON_GELU_SQUARE 0.2766f     // a
enum { TENON_GELU_POWERS = 7 };       // constants of a piece
#define TENON_GELU_TABLE                                                         \
  {                                                                              \
    {0.310991555f, 1.02912235f, 1.76346552f, 2.34726381f,                        \
     2.84723878f,  3.22214198f, 3.62060404f, 3.99559617f,                        \
     4.33489561f,  4.67857122f, 4.99098682f, 5.30339766f,                        \
     5.55329943f,  5.83444786f, 6.0530982f,  6.27173567f},                       \
        {0.0022492772f,    0.00182548945f,  -0.00129460322f, -0.000803344359f,   \
         -1.37082989e-05f, 0.000187498794f, 0.000159051691f, 8.34339226e-05f,    \
         3.61822786e-05f,  1.26490431e-05f, 4.1660287e-06f,  1.1868708e-06f,     \
         4.08038517e-07f,  1.07539201e-07f, 3.71880056e-08f, 1.17917134e-08f},   \
        {-0.00768881803f, 0.00436873734f,   0.00420526974f,   -6.31563307e-05f,  \
         -0.00116072735f, -0.000897397287f, -0.000455164234f, -0.000183960874f,  \
         -6.7205503e-05f, -2.05741708e-05f, -6.13822522e-06f, -1.62144454e-06f,  \
         -5.1337264e-07f, -1.28995339e-07f, -4.13404528e-08f, -1.25740236e-08f}, \
        {-0.0142962737f,  -0.0195490196f,  0.000678187818f, 0.00622953195f,      \
         0.00419682683f,  0.00220070034f,  0.000866250601f, 0.000293993246f,     \
         9.45354259e-05f, 2.59340577e-05f, 7.08620109e-06f, 1.72961336e-06f,     \
         5.16743853e-07f, 1.22132718e-07f, 3.74294586e-08f, 1.08885851e-08f},    \
        {0.0572242886f,    -0.00231375988f,  -0.0296288636f,   -0.0190764163f,   \
         -0.00820476841f,  -0.00347213657f,  -0.00114637392f,  -0.000339719176f, \
         -9.82843121e-05f, -2.45209176e-05f, -6.19743832e-06f, -1.40817713e-06f, \
         -3.98947918e-07f, -8.91145007e-08f, -2.62075321e-08f, -7.3270785e-09f}, \
        {0.0591053069f,   0.120883703f,    0.0742951334f,   0.029787723f,        \
         0.00986146461f,  0.00357732945f,  0.00102831726f,  0.000272114557f,     \
         7.18415249e-05f, 1.64759786e-05f, 3.88096305e-06f, 8.25932887e-07f,     \
         2.2273997e-07f,  4.72082249e-08f, 1.33531506e-08f, 3.59627661e-09f},    \
        {-0.38010931f,     -0.234925941f,    -0.084260352f,                      \
         -0.0253808014f,   -0.00692703901f,  -0.0022204665f,                     \
         -0.000568036223f, -0.000136207251f, -3.31456686e-05f,                   \
         -7.04316517e-06f, -1.55518933e-06f, -3.114734e-07f,                     \
         -8.02189675e-08f, -1.61825966e-08f, -4.41200099e-09f,                   \
         -1.14682042e-09f},                                                      \
    {                                                                            \
      0.377903521f, 0.151711091f, 0.0389110036f, 0.00945592951f,                 \
          0.00220501353f, 0.000636180339f, 0.000146958017f, 3.2265827e-05f,      \
          7.29146541e-06f, 1.44440412e-06f, 3.00357982e-07f, 5.68334713e-08f,    \
          1.40163641e-08f, 2.69844902e-09f, 7.10430936e-10f, 1.78522683e-10f     \
    }                                                                            \
  }

// t Q(t) exp(t^2 / 2) of v = 1 / t^2, where Q is the tail, for t from
// TENON_GELU_NEAR on.
#define TENON_POLY_GELU_FAR(fma, of, v)                                       \
  fma(fma(fma(fma(of(24.0945053f), v, of(-5.57552481f)), v, of(1.19216204f)), \
          v, of(-0.398917377f)),                                              \
      v, of(0.398942232f))

#endif  // TENON_KERN_GELU_TABLE_H
