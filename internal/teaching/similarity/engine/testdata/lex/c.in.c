#include <stdio.h>
#define TWICE(x) \
    ((x) * 2)
static const int *p = NULL; // gone
int main(void) { for (;;) { p->next = &a[1]; printf("%d\n", TWICE('x')); } }
