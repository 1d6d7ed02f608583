/* Does as many millions of steps as work.h says, and reports operations. */
#include <stdio.h>
#include "work.h"

int main(void) {
    volatile unsigned long state = 1;
    for (unsigned long step = 0; step < WORK * 1000000UL / 10; step++) {
        state = state * 6364136223846793005UL + 1442695040888963407UL;
    }
    printf("operations 100\n");
    return 0;
}
