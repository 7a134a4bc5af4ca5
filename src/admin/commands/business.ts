import { type Command, InvalidArgumentError } from 'commander'
import type { Act } from '../../audit/acts.ts'
import type { BusinessLimits } from '../../businesses/business.ts'
import { type BusinessChange, changeBusiness } from '../../businesses/change-business.ts'
import { createBusiness } from '../../businesses/create-business.ts'
import { act, found } from './act.ts'
import { businessName, limitFrom } from './arguments.ts'
import { operator } from './operator.ts'

const changes: Record<string, [description: string, act: Act, change: BusinessChange]> = {
  approve: ['approve for live mode', 'business.approved', { liveApproved: true }],
  disable: ['switch its developer API off', 'business.disabled', { apiEnabled: false }],
  enable: ['switch its developer API on', 'business.enabled', { apiEnabled: true }],
}

/** `business create`, and what may be changed of one. */
export function addBusinessCommands(program: Command): void {
  const business = program.command('business').description('merchants')
  business
    .command('create')
    .description('a new merchant')
    .requiredOption('--name <name>', 'its name, as customers see it', businessName)
    .option('--live', 'approved for live mode', false)
    .action(
      act(async (deps, { name, live }: { name: string; live: boolean }) => {
        const { _id: id } = await createBusiness(deps, { name, liveApproved: live })
        return { id }
      }),
    )

  for (const [name, [description, done, change]] of Object.entries(changes))
    business
      .command(name)
      .description(description)
      .argument('<id>', 'id of the business')
      .action(
        act(async (deps, id: string) => {
          const by = { actor: operator(), act: done }
          found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
          return { id, ...change }
        }),
      )

  business
    .command('limit')
    .description("limits of its own; 'default' goes back to the limit of the service")
    .argument('<id>', 'id of the business')
    .option('--per-second <n>', 'requests a second of each of its keys', limitFrom(1, 1_000_000))
    .option('--live-codes <n>', 'payment codes of live mode in use', limitFrom(1, 1_000_000))
    .option(
      '--sandbox-intents-per-day <n>',
      'intents and orders of its test keys in a UTC day; 0: any number',
      limitFrom(0, 1_000_000_000),
    )
    .action(
      act(async (deps, id: string, options: Partial<LimitsInWords>) => {
        if (Object.keys(options).length === 0)
          throw new InvalidArgumentError('Name at least one limit: see business limit --help.')
        const by = { actor: operator(), act: 'business.limited' } as const
        const change = { limits: fromWords(options) }
        const { limits } = found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
        return { id, limits: inWords(limits) }
      }),
    )
}

/** Limits as on the command line: one that the business does not have of its own is `default`. */
type LimitsInWords = Record<keyof BusinessLimits, number | 'default'>

const fromWords = (limits: Partial<LimitsInWords>): Partial<BusinessLimits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, limit === 'default' ? null : limit]),
  )

const inWords = (limits: BusinessLimits): Record<string, number | 'default'> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? 'default']))
