/* Included twice, and in two units of one program. */
#include "mcp_discover.h"
#include "mcp_discover.h"

int32_t abi_of_the_other_unit(void);

int32_t abi_of_the_other_unit(void)
{
    return mcpd_abi_version();
}
