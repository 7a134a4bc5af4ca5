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
Closes: the developer API, with live and test keys (503 FEATURE_DISABLED).
Stays open: payment pages, payments by link and by code, and webhooks.
Undo with: business enable`

const enableHelp = `
Opens: the developer API. Live keys also need "business approve".
If the business is suspended, it stays closed until "business resume".`

const suspendHelp = `
Closes: the developer API, with live and test keys (503 FEATURE_DISABLED), the
pages of unpaid payment intents, and all new payments, live and test. Refunds are
made through the developer API, so they are not possible either.
Stays open: payments that a wallet is already processing are completed and
recorded. Customers can still open the pages of payments they made. Payment
intents expire on time. Webhooks are delivered.
Undo with: business resume`

const resumeHelp = `
Opens: everything that "business suspend" closed. Customers can pay PENDING payment
intents again. If the developer API is disabled, it stays closed until
"business enable".`

const unapproveHelp = `
Closes: live keys (403 LIVE_ACCESS_NOT_APPROVED), so the business can create no live
payment intents and make no live refunds.
Stays open: test keys and the sandbox, webhooks, and the pages of existing live
payment intents, which customers can still pay.
To close these pages too, use "business suspend". To cancel live payment intents
that are not paid, use "intents cancel".
Undo with: business approve`

const approveHelp = `
Opens: live keys. Test keys work without approval.`

/** A command that changes one setting of a business. `act` is the name of the change in the audit trail. */
interface Switch {
  description: string
  help: string
  act: Act
  change: BusinessChange
}

const switches: Record<string, Switch> = {
  approve: {
    description: 'approve a business for live mode',
    help: approveHelp,
    act: 'business.approved',
    change: { liveApproved: true },
  },
  unapprove: {
    description: 'withdraw the approval for live mode; the sandbox stays open',
    help: unapproveHelp,
    act: 'business.unapproved',
    change: { liveApproved: false },
  },
  disable: {
    description: 'close the developer API of a business; its payment pages stay open',
    help: disableHelp,
    act: 'business.disabled',
    change: { apiEnabled: false },
  },
  enable: {
    description: 'open the developer API of a business again',
    help: enableHelp,
    act: 'business.enabled',
    change: { apiEnabled: true },
  },
  suspend: {
    description: 'close the developer API, the payment pages and all payments of a business',
    help: suspendHelp,
    act: 'business.suspended',
    change: { suspended: true },
  },
  resume: {
    description: 'end the suspension of a business',
    help: resumeHelp,
    act: 'business.resumed',
    change: { suspended: false },
  },
}

/** Adds the `business create` command and the commands that show or change a business. */
export function addBusinessCommands(program: Command): void {
  const business = program.command('business').description('create and manage businesses')
  business
    .command('create')
    .description('create a business')
    .requiredOption('--name <name>', 'the name that customers see', businessName)
    .option('--live', 'approve the business for live mode', false)
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
          const by = { ...operator(), act: done }
          found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
          return { id, ...change }
        }),
      )

  business
    .command('show')
    .description('show the state, the limits and the remaining quotas of a business')
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
          limits: showLimits(limits),
          ...(await usagesOf(deps, shown)),
        }
      }),
    )

  business
    .command('limit')
    .description("set limits for one business; 'default' restores the limit of the service")
    .argument('<id>', 'id of the business')
    .option('--per-second <n>', 'requests per second with each API key', limitFrom(1, 1_000_000))
    .option('--live-codes <n>', 'live payment codes in use at once', limitFrom(1, 1_000_000))
    .option(
      '--sandbox-intents-per-day <n>',
      'intents, orders, products and endpoints created with test keys per UTC day; 0 means no limit',
      limitFrom(0, 1_000_000_000),
    )
    .action(
      act(async (deps, id: string, options: Partial<ShownLimits>) => {
        if (Object.keys(options).length === 0)
          throw new InvalidArgumentError('Set at least one limit: see business limit --help.')
        const by = { ...operator(), act: 'business.limited' } as const
        const change = { limits: readLimits(options) }
        const { limits } = found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
        return { id, limits: showLimits(limits) }
      }),
    )
}

/** Limits as shown on the command line. `default` means that the business has no limit of its own. */
type ShownLimits = Record<keyof BusinessLimits, number | 'default'>

const readLimits = (limits: Partial<ShownLimits>): Partial<BusinessLimits> =>
  Object.fromEntries(
    Object.entries(limits).map(([name, limit]) => [name, limit === 'default' ? null : limit]),
  )

const showLimits = (limits: BusinessLimits): Record<string, number | 'default'> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? 'default']))
