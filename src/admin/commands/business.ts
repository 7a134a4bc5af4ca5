import { type Command, Option } from 'commander'
import { maxRateEntries } from '../../businesses/business.ts'
import type { CommissionResult } from '../../businesses/change-business.ts'
import type { BusinessFilter, ListedBusiness } from '../../businesses/list-businesses.ts'
import { toUtcDay } from '../../platform/time.ts'
import { businessActions, formatLimits } from '../../staff-acts/business-acts.ts'
import type { BusinessFacts } from '../../staff-acts/business-facts.ts'
import { businessDisplay, listedBusinessDisplay } from '../../staff-acts/shown.ts'
import * as cli from './act.ts'
import {
  choiceParser,
  instantParser,
  integerParser,
  parseBusinessName,
  parsePayoutReference,
} from './arguments.ts'
import type { AdminDeps } from './run.ts'
import { type CommandColumn, detailsText, fieldLines, toColumn } from './text.ts'

const commissionHelp = `
A payment gets the rates in effect when it is made. Rates that already apply are kept
in the history. Rates that are scheduled for --from or later are removed.
${cli.examplesHelp('business commission ID --provider-bp 150 --payer-bp 50 --from 2026-12-01T00:00Z')}`

const showHelp = `
"commissionRates" are the rates that apply now, in basis points. "commission" are the
rates that were set for the business. "balance" is in centimes. Deliveries and pending
payments are counted up to 100000. "lastUsedDay" is the last UTC day on which the
service accepted any of the keys.
${cli.examplesHelp('business show ID')}`

const basisPoints = integerParser(0, 5000)

export function addBusinessCommands(program: Command): void {
  const business = cli.addSubcommand(program, 'business', 'create and manage businesses')
  const createHelp = cli.examplesHelp('business create --name "Chez Fatou"')
  cli
    .addSubcommand(business, 'create', 'create a business', createHelp)
    .requiredOption('--name <name>', 'the name that customers see', parseBusinessName)
    .option('--live', 'approve the business for live mode', false)
    .action(cli.commandAction(createOne))

  cli.addActCommands(business, businessActions)

  const rates = 'set the commission rates of one business, in basis points of the amount'
  const fromWhen = 'when the rates begin to apply, not in the past; default: now'
  cli
    .subcommandOnId(business, 'commission', rates, commissionHelp)
    .requiredOption('--provider-bp <n>', "the merchant's fee, from 0 to 5000", basisPoints)
    .requiredOption('--payer-bp <n>', "the payer's fee, from 0 to 5000", basisPoints)
    .option('--from <time>', fromWhen, instantParser('start'))
    .action(cli.commandAction(setRates))

  const amount = 'amount to pay out, in centimes (up to the current balance)'
  const reference = 'reference of the transfer; each reference is booked only once'
  const payoutHelp = cli.examplesHelp('business payout ID --amount 125000 --reference TR-2026-0417')
  cli
    .subcommandOnId(business, 'payout', 'book money that you have sent to a business', payoutHelp)
    .requiredOption('--amount <n>', amount, integerParser(1, Number.MAX_SAFE_INTEGER))
    .requiredOption('--reference <text>', reference, parsePayoutReference)
    .option('--mode <mode>', 'test or live', choiceParser('test', 'live'), 'live')
    .action(cli.commandAction(bookPayout, payoutText))

  const listHelp = cli.examplesHelp('business list --name fatou', 'business list --live --suspended --json')
  const list = cli
    .addSubcommand(business, 'list', 'list businesses, newest first', listHelp)
    .option('--name <part>', 'only names that contain this text, ignoring case', parseBusinessName)
    .addOption(new Option('--live', 'only businesses approved for live mode').conflicts('notLive'))
    .option('--not-live', 'only businesses not approved for live mode')
    .option('--suspended', 'only suspended businesses')
    .option('--disabled', 'only businesses whose developer API is disabled')
  cli.addListAction(list, columns, async () => {
    const { listBusinesses } = await import('../../businesses/list-businesses.ts')
    return (deps, { live, notLive, disabled, ...filter }: ListOptions, slice) => {
      const approval = live || notLive ? { liveApproved: live === true } : {}
      return listBusinesses(deps, { ...filter, ...approval, ...(disabled && { apiEnabled: false }) }, slice)
    }
  })

  const shown = 'the state, limits, commission, balance, quotas, keys, endpoints and deliveries of a business'
  cli.addShowCommand(business, `show ${shown}`, showHelp, loadFacts, businessText)
}

async function createOne(deps: AdminDeps, { name, live }: { name: string; live: boolean }) {
  const { createBusiness } = await import('../../businesses/change-business.ts')
  const { _id: id } = await createBusiness(deps, { name, liveApproved: live }, deps.by)
  return { id }
}

type RateOptions = { providerBp: number; payerBp: number; from?: Date | null }

async function setRates(deps: AdminDeps, id: string, { providerBp, payerBp, from = null }: RateOptions) {
  const { setCommission } = await import('../../businesses/change-business.ts')
  const set = await setCommission(deps, id, { from, provider: providerBp, payer: payerBp }, deps.by)
  if (set.result !== 'set') throw new cli.CommandFailed(whyNotSet[set.result](id))
  return { id, commission: set.commission }
}

const whyNotSet: Record<Exclude<CommissionResult['result'], 'set'>, (id: string) => string> = {
  'not-found': (id) => `There is no business ${id}.`,
  'in-the-past': () =>
    'The --from time is in the past. Rates cannot change for payments that were already made.',
  full: () => `A business can have at most ${maxRateEntries} entries in the history of its rates.`,
}

type PayoutOptions = { amount: number; reference: string; mode: 'test' | 'live' }

async function bookPayout(deps: AdminDeps, id: string, { amount, reference, mode }: PayoutOptions) {
  const { getLedgerBalance } = await import('../../ledger/statement.ts')
  const { PayoutRefused, bookPayoutOnce } = await import('../../payouts/pay-out.ts')
  const { LedgerFault } = await import('../../verification/verify-ledger.ts')
  await cli.expectBusiness(deps, id)
  const owner = { businessId: id, sandbox: mode === 'test' }
  const explain = (error: unknown): never => {
    if (error instanceof PayoutRefused) throw new cli.CommandFailed(`${error.message}.`)
    if (!(error instanceof LedgerFault)) throw error
    throw new cli.CommandFailed(
      `Nothing was booked, because the ledger was changed. ${error.message} Run: admin ledger verify`,
    )
  }
  const payout = { ...owner, amount, reference }
  const { entry, alreadyBooked } = await bookPayoutOnce(deps, payout, deps.by).catch(explain)
  const balance = await getLedgerBalance(deps, owner)
  return { id: entry._id, mode, amount, reference, alreadyBooked, bookedAt: entry.bookedAt, balance }
}

function payoutText({ alreadyBooked, bookedAt, ...facts }: Awaited<ReturnType<typeof bookPayout>>) {
  const booked = `${alreadyBooked ? 'already booked' : 'booked'} at ${bookedAt.toISOString()}`
  return `${booked}\n${fieldLines(facts)}`
}

type ListOptions = BusinessFilter & { live?: true; notLive?: true; disabled?: true }

const { liveMode, api, createdAt, name } = businessDisplay
const columns: CommandColumn<ListedBusiness>[] = [
  ...Object.values(listedBusinessDisplay).map(toColumn),
  ...[liveMode, api, createdAt, name].map(toColumn),
]

async function loadFacts() {
  const { lookUpBusinessFacts } = await import('../../staff-acts/business-facts.ts')
  return async (deps: AdminDeps, id: string) => {
    const facts = await lookUpBusinessFacts(deps, id)
    return facts && { ...facts, limits: formatLimits(facts.limits) }
  }
}

const businessText = ({ endpoints, lastUsedDay, ...facts }: Omit<BusinessFacts, 'limits'>) =>
  detailsText({
    ...facts,
    lastUsedDay: lastUsedDay ?? 'never',
    endpoints: endpoints.map(({ id, state, health, deliveries, url }) => ({
      id,
      state,
      failuresInRow: health.failuresInRow,
      lastSuccess: health.lastSuccessAt && toUtcDay(health.lastSuccessAt),
      ...deliveries,
      url,
    })),
  })
