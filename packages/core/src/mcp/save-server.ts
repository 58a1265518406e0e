import { editConfig, type EditConfigOptions } from '../config/edit.ts'
import { getAt, isTree } from '../config/tree.ts'
import { tokenFiles } from './oauth/token-files.ts'

/** Writes a server into `config.yaml`, in place of one of the same name. Throws `ConfigError`. */
export function saveServer(name: string, value: object, options: EditConfigOptions): Promise<boolean> {
  return editConfig(options, () => [{ path: ['mcp_servers', name], value }])
}

/** Takes a server out, and its sign-in. False where there is none of that name. Throws `ConfigError`. */
export async function removeServer(name: string, options: EditConfigOptions): Promise<boolean> {
  const wasThere = await editConfig(options, (tree) => {
    const servers = getAt(tree, ['mcp_servers'])
    return isTree(servers) && Object.hasOwn(servers, name) ? [{ path: ['mcp_servers', name], value: undefined }] : []
  })
  if (wasThere) await tokenFiles(options.home, name, Date.now).forget('all')
  return wasThere
}

/** Lets the model have these tools of a server and no others; undefined: all. Throws `ConfigError`. */
export function chooseServerTools(
  name: string,
  tools: readonly string[] | undefined,
  options: EditConfigOptions,
): Promise<boolean> {
  return editConfig(options, () => [
    { path: ['mcp_servers', name, 'tools', 'include'], value: tools },
    { path: ['mcp_servers', name, 'tools', 'exclude'], value: undefined },
  ])
}

/** The variable of `.env` that holds the key of a server. */
export function keyVariable(server: string): string {
  return `MCP_${server.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}_API_KEY`
}
