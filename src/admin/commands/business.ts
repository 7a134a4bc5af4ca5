import { type Command, InvalidArgumentError } from 'commander'
import type { BusinessLimits } from '../../businesses/business.ts'
import { maxRates } from '../../businesses/commission-rates.ts'
import type { SetCommission } from '../../businesses/set-commission.ts'
import { limitInfos } from '../acts/business-limits.ts'
import { businessSwitches } from '../acts/business-switches.ts'
import { effectsHelp } from '../acts/effects.ts'
import { act, Failed, found } from './act.ts'
import { businessName, instant, limitFrom, wholeNumber } from './arguments.ts'
import { addPayout } from './payout.ts'

/** Adds the `business create` command and the commands that change a business. */
export function addBusinessCommands(program: Command): Command {
  const business = program.command('business').description('create and manage businesses')
  business
    .command('create')
    .description('create a business')
    .requiredOption('--name <name>', 'the name that customers see', businessName)
    .option('--live', 'approve the business for live mode', false)
    .action(
      act(async (deps, { name, live }: { name: string; live: boolean }) => {
        const { createBusiness } = await import('../../businesses/create-business.ts')
        const { _id: id } = await createBusiness(deps, { name, liveApproved: live }, deps.by)
        return { id }
      }),
    )

  for (const [name, { description, effects, act: done, change }] of Object.entries(businessSwitches))
    business
      .command(name)
      .description(description)
      .argument('<id>', 'id of the business')
      .addHelpText('after', effectsHelp(effects, 'business'))
      .action(
        act(async (deps, id: string) => {
          const { changeBusiness } = await import('../../businesses/change-business.ts')
          const by = { ...deps.by, act: done }
          found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
          return { id, ...change }
        }),
      )

  business
    .command('limit')
    .description("set limits for one business; 'default' restores the limit of the service")
    .argument('<id>', 'id of the business')
    .option('--per-second <n>', ...limitOption('perSecond'))
    .option('--live-codes <n>', ...limitOption('liveCodes'))
    .option('--sandbox-intents-per-day <n>', ...limitOption('sandboxIntentsPerDay'))
    .action(
      act(async (deps, id: string, options: Partial<ShownLimits>) => {
        if (Object.keys(options).length === 0)
          throw new InvalidArgumentError('Set at least one limit: see business limit --help.')
        const { changeBusiness } = await import('../../businesses/change-business.ts')
        const by = { ...deps.by, act: 'business.limited' } as const
        const change = { limits: readLimits(options) }
        const { limits } = found(await changeBusiness(deps, id, change, by), `There is no business ${id}`)
        return { id, limits: showLimits(limits) }
      }),
    )
  business
    .command('commission')
    .description('set the commission rates of one business, in basis points of the amount')
    .argument('<id>', 'id of the business')
    .requiredOption('--provider-bp <n>', "the merchant's fee, from 0 to 5000", basisPoints)
    .requiredOption('--payer-bp <n>', "the payer's fee, from 0 to 5000", basisPoints)
    .option('--from <time>', 'when the rates begin to apply, not in the past; default: now', instant('start'))
    .addHelpText('after', commissionHelp)
    .action(
      act(async (deps, id: string, { providerBp: provider, payerBp: payer, from }: RateOptions) => {
        const { setCommission } = await import('../../businesses/set-commission.ts')
        const set = await setCommission(deps, id, { from: from ?? null, provider, payer }, deps.by)
        if (set.result !== 'set') throw new Failed(whyNotSet[set.result](id))
        return { id, commission: set.commission }
      }),
    )
  addPayout(business)
  return business
}

interface RateOptions {
  providerBp: number
  payerBp: number
  from?: Date
}

const basisPoints = wholeNumber(0, 5000)

const commissionHelp = `
The rates at the moment when the customer pays apply. Rates that already apply are kept
in the history. Rates that are scheduled for --from or later are removed.`

const whyNotSet: Record<Exclude<SetCommission['result'], 'set'>, (id: string) => string> = {
  'not-found': (id) => `There is no business ${id}.`,
  'in-the-past': () => 'The time of --from is in the past. Rates cannot change for payments that were already made.',
  full: () => `A business can have at most ${maxRates} entries in the history of its rates.`,
}

/** Returns the description and the parser of the option for a limit. */
const limitOption = (name: keyof BusinessLimits) => {
  const { description, min, max } = limitInfos[name]
  return [description, limitFrom(min, max)] as const
}

/** Limits as shown on the command line. `default` means that the business has no limit of its own. */
type ShownLimits = Record<keyof BusinessLimits, number | 'default'>

const readLimits = (limits: Partial<ShownLimits>): Partial<BusinessLimits> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit === 'default' ? null : limit]))

/** Returns the limits of a business as shown on the command line. */
export const showLimits = (limits: BusinessLimits): Record<string, number | 'default'> =>
  Object.fromEntries(Object.entries(limits).map(([name, limit]) => [name, limit ?? 'default']))
