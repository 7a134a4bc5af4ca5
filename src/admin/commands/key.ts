import type { Command } from 'commander'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import { effectsHelp } from '../acts/effects.ts'
import { keySwitches } from '../acts/key-switches.ts'
import { act, Failed, found } from './act.ts'
import { choice, ranges, seconds, someScopes } from './arguments.ts'

const defaultOverlapSeconds = 86_400

interface KeyOptions {
  business: string
  mode: 'test' | 'live'
  kind: 'secret' | 'publishable'
  scopes?: Scope[]
  ip?: string[]
}

/** Throws Failed if a list contains scopes that a publishable key could never use. */
async function refuseUnusable(wanted: readonly Scope[]): Promise<void> {
  const { publishableScopes } = await import('../../http/routes/routes.ts')
  const unusable = wanted.filter((scope) => !publishableScopes.includes(scope))
  if (unusable.length > 0)
    throw new Failed(`A publishable key cannot use ${unusable.join(', ')}, but only ${publishableScopes.join(', ')}.`)
}

/** Adds the commands `key create` and `key rotate`, and the commands that change a key's status. */
export function addKeyCommands(program: Command): Command {
  const key = program.command('key').description('create and manage API keys')
  key
    .command('create')
    .description('create a key and print it; it is not shown again')
    .requiredOption('--business <id>', 'id of the business')
    .requiredOption('--mode <mode>', 'test or live', choice('test', 'live'))
    .requiredOption('--kind <kind>', 'secret or publishable', choice('secret', 'publishable'))
    .option('--scopes <list>', 'comma-separated scopes; defaults to all scopes', someScopes)
    .option('--ip <list>', 'comma-separated IP addresses and CIDR ranges that may use the key; defaults to all', ranges)
    .action(
      act(async (deps, { business: businessId, mode, kind, scopes, ip }: KeyOptions) => {
        const { issueKey } = await import('../../businesses/issue-key.ts')
        if (kind === 'publishable') await refuseUnusable(scopes ?? [])
        const input = { businessId, mode, kind, scopes: scopes ?? [...allScopes], ipAllowlist: ip ?? [] }
        return { ...found(await issueKey(deps, input, deps.by), `There is no business ${businessId}`) }
      }),
    )

  for (const [name, { description, effects, status }] of Object.entries(keySwitches))
    key
      .command(name)
      .description(description)
      .argument('<id>', 'id of the key')
      .addHelpText('after', effectsHelp(effects, 'key'))
      .action(
        act(async (deps, id: string) => {
          const { setKeyStatus } = await import('../../businesses/set-key-status.ts')
          found(await setKeyStatus(deps, id, status, deps.by), `Key ${id} does not exist or is revoked`)
          return { id, status }
        }),
      )

  key
    .command('rotate')
    .description('create a new secret for a key; the old secret works until the overlap ends')
    .argument('<id>', 'id of the key')
    .option('--overlap-seconds <n>', 'how long the old secret keeps working', seconds, defaultOverlapSeconds)
    .action(
      act(async (deps, id: string, { overlapSeconds }: { overlapSeconds: number }) => {
        const { rotateKey } = await import('../../businesses/rotate-key.ts')
        const rotated = await rotateKey(deps, id, overlapSeconds, deps.by)
        return { ...found(rotated, `Key ${id} does not exist or is revoked`) }
      }),
    )
  return key
}
