import type { Command } from 'commander'
import { act } from './act.ts'

/** Adds the commands `api on` and `api off`. */
export function addApiCommands(program: Command): void {
  const api = program.command('api').description('switch the developer API on or off')
  for (const position of ['on', 'off'] as const)
    api
      .command(position)
      .description(`switch the developer API ${position} for all businesses; every process follows within 5 s`)
      .action(
        act(async (deps) => {
          const { switchApi } = await import('../../businesses/switch-api.ts')
          await switchApi(deps, position === 'on', deps.by)
          return { api: position }
        }),
      )
}
