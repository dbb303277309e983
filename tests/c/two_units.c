/* The other unit, with the program. */
#include "mcp_discover.h"
#include "mcp_discover.h"

int32_t abi_of_the_other_unit(void);

int main(void)
{
    return abi_of_the_other_unit() == MCPD_ABI_VERSION && mcpd_version()[0] != '\0' ? 0 : 1;
}
