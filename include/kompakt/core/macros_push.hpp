// Puts aside the macros of other libraries that are ordinary words here; macros_pop.hpp brings them
// back. No include guard: each umbrella header starts with this and ends with the other.
//
// Only names that no header included in between defines (tests/house/macros.py checks): those would
// be lost. Reserved names such as newlib's _U and _N need no line, since nothing here uses them.

// Arduino
#pragma push_macro("min")
#undef min
#pragma push_macro("max")
#undef max
#pragma push_macro("abs")
#undef abs
#pragma push_macro("round")
#undef round
#pragma push_macro("bit")
#undef bit
#pragma push_macro("word")
#undef word
#pragma push_macro("sq")
#undef sq
#pragma push_macro("constrain")
#undef constrain
#pragma push_macro("radians")
#undef radians
#pragma push_macro("degrees")
#undef degrees
#pragma push_macro("F")
#undef F
#pragma push_macro("PI")
#undef PI
#pragma push_macro("B0")
#undef B0
#pragma push_macro("B1")
#undef B1
#pragma push_macro("LOW")
#undef LOW
#pragma push_macro("HIGH")
#undef HIGH
#pragma push_macro("INPUT")
#undef INPUT
#pragma push_macro("OUTPUT")
#undef OUTPUT
#pragma push_macro("DEFAULT")
#undef DEFAULT

// C's <complex.h>, <termios.h>, <sys/sysmacros.h>
#pragma push_macro("I")
#undef I
#pragma push_macro("complex")
#undef complex
#pragma push_macro("B50")
#undef B50
#pragma push_macro("major")
#undef major
#pragma push_macro("minor")
#undef minor

// Windows, X11, Qt
#pragma push_macro("small")
#undef small
#pragma push_macro("near")
#undef near
#pragma push_macro("far")
#undef far
#pragma push_macro("IN")
#undef IN
#pragma push_macro("OUT")
#undef OUT
#pragma push_macro("CONST")
#undef CONST
#pragma push_macro("ERROR")
#undef ERROR
#pragma push_macro("None")
#undef None
#pragma push_macro("Bool")
#undef Bool
#pragma push_macro("True")
#undef True
#pragma push_macro("False")
#undef False
#pragma push_macro("Status")
#undef Status
#pragma push_macro("Success")
#undef Success
#pragma push_macro("emit")
#undef emit
#pragma push_macro("signals")
#undef signals
#pragma push_macro("slots")
#undef slots
