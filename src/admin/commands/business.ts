import { type Command, InvalidArgumentError } from 'commander'
import type { Act } from '../../audit/acts.ts'
import type { BusinessLimits } from '../../businesses/business.ts'
import { type BusinessChange, changeBusiness } from '../../businesses/change-business.ts'
import { createBusiness } from '../../businesses/create-business.ts'
import { lookUpBusiness } from '../../businesses/look-up.ts'
import { usagesOf } from '../../quotas/usage.ts'
import { act, found } from './act.ts'
import { businessName, limitFrom } from './arguments.ts'
import { operator } from './operator.ts'

const disableHelp = `
Closes: the developer API, for live and test keys (503 FEATURE_DISABLED).
Stays open: the payment pages, payment by link and by code, and webhooks.
Undo with: business enable`

const enableHelp = `
Opens: the developer API. Live keys also need "business approve".
A suspended business stays closed until "business resume".`

const suspendHelp = `
Closes: the developer API, for live and test keys (503 FEATURE_DISABLED), the
pages of payments that are not paid yet, and all new payments, live and test.
Stays open: a payment that was sent to a wallet before ends as the wallet says
and is recorded. Customers can still see what they paid. Payment intents expire
at their time. Webhooks that are due are delivered.
Refunds go through the developer API, so none can be made.
Undo with: business resume`

const resumeHelp = `
Opens: what "business suspend" closed. Payment intents that are still PENDING can
be paid again. A developer API that was disabled stays closed until
"business enable".`

const unapproveHelp = `
Closes: live keys (403 LIVE_ACCESS_NOT_APPROVED), so there are no new live payment
intents and no live refunds.
Stays open: test keys and the sandbox; the pages of the live payment intents that
exist, which customers can still pay; webhooks.
To close the pages too: business suspend. To withdraw the live payment intents
that are not paid: intents cancel.
Undo with: business approve`

const approveHelp = `
Opens: live keys. Test keys work with and without it.`

/** A command that sets one switch of a business, and its name in the audit trail. */
interface Switch {
  description: string
  help: string
  act: Act
  change: BusinessChange
}

const switches: Record<string, Switch> = {
  approve: {
    description: 'allow live keys',
    help: approveHelp,
    act: 'business.approved',
    change: { liveApproved: true },
  },
  unapprove: {
    description: 'refuse live keys; the sandbox stays open',
    help: unapproveHelp,
    act: 'business.unapproved',
    change: { liveApproved: false },
  },
  disable: {
    description: 'close its developer API; its payment pages stay open',
    help: disableHelp,
    act: 'business.disabled',
    change: { apiEnabled: false },
  },
  enable: {
    description: 'reopen its developer API',
    help: enableHelp,
    act: 'business.enabled',
    change: { apiEnabled: true },
  },
  suspend: {
    description: 'close its developer API, its payment pages and all new payments',
    help: suspendHelp,
    act: 'business.suspended',
    change: { suspended: true },
  },
  resume: {
    description: 'end the suspension',
    help: resumeHelp,
    act: 'business.resumed',
    change: { suspended: false },
  },
}

/** `business create`, and the commands that change one. */
export function addBusinessCommands(program: Command): void {
  const business = program.command('business').description('merchants')
  business
    .command('create')
    .description('create a merchant')
    .requiredOption('--name <name>', 'its name, as customers see it', businessName)
    .option('--live', 'approve it for live mode', false)
    .action(
      act(async (deps, { name, live }: { name: string; live: boolean }) => {
        const { _id: id } = await createBusiness(deps, { name, liveApproved: live })
        return { id }
      }),
    )

  for (const [name, { description, help, act: done, change }] of Object.entries(switches))
    business
      .command(name)
      .description(description)
      .argument('<id>', 'id of the business')
      .addHelpText('after', help)
      .action(
        act(async (deps, id: string) => {
          const by = { actor: operator(), act: done }
          found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
          return { id, ...change }
        }),
      )

  business
    .command('show')
    .description('show its state, its limits and its use of quotas')
    .argument('<id>', 'id of the business')
    .action(
      act(async (deps, id: string) => {
        const shown = found(await lookUpBusiness(deps, id), `There is no business ${id}`)
        const { name, liveApproved, apiEnabled, suspended, limits } = shown
        return {
          id,
          name,
          liveApproved,
          apiEnabled,
          suspended,
          createdAt: shown.createdAt.toISOString(),
          limits: inWords(limits),
          ...(await usagesOf(deps, shown)),
        }
      }),
    )

  business
    .command('limit')
    .description("set limits of its own; 'default' restores the limit of the service")
    .argument('<id>', 'id of the business')
    .option('--per-second <n>', 'requests per second of each of its keys', limitFrom(1, 1_000_000))
    .option('--live-codes <n>', 'live payment codes in use', limitFrom(1, 1_000_000))
    .option(
      '--sandbox-intents-per-day <n>',
      'intents, orders, products and endpoints created by its test keys per UTC day; 0: no limit',
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

/** Limits as on the command line: `default` where the business has none of its own. */
type LimitsInWords = Record<keyof BusinessLimits, number | 'default'>

const fromWords = (limits: Partial<LimitsInWords>): Partial<BusinessLimits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, limit === 'default' ? null : limit]),
  )

const inWords = (limits: BusinessLimits): Record<string, number | 'default'> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? 'default']))
