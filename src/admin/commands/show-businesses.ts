import { type Command, Option } from 'commander'
import type { BusinessFacts } from '../../businesses/business-facts.ts'
import type { BusinessFilter, ListedBusiness } from '../../businesses/list-businesses.ts'
import { act, found } from './act.ts'
import { businessName } from './arguments.ts'
import { showLimits } from './business.ts'
import { asList } from './list.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf } from './text.ts'

const listHelp = `
Examples:
  admin business list --name fatou
  admin business list --live --suspended --json`

const showHelp = `
"commissionRates" are the rates that apply now, in basis points. "commission" are the
rates that were set for the business. "balance" is in centimes. Deliveries and pending
payments are counted up to 100000. "lastUsedDay" is the last UTC day on which the
service accepted any of the keys.

Example:
  admin business show ID`

interface Options {
  name?: string
  live?: true
  notLive?: true
  suspended?: true
  disabled?: true
}

/** Adds the commands `business list` and `business show`. */
export function addBusinessReads(business: Command): void {
  const list = business
    .command('list')
    .description('list businesses, newest first')
    .option('--name <part>', 'only businesses whose name contains this text, ignoring case', businessName)
    .addOption(new Option('--live', 'only businesses approved for live mode').conflicts('notLive'))
    .option('--not-live', 'only businesses not approved for live mode')
    .option('--suspended', 'only suspended businesses')
    .option('--disabled', 'only businesses whose developer API is disabled')
    .addHelpText('after', listHelp)
  asList(list, columns, async (deps, options: Options, slice) => {
    const { listBusinesses } = await import('../../businesses/list-businesses.ts')
    return listBusinesses(deps, filterOf(options), slice)
  })

  business
    .command('show')
    .description('show the state, limits, commission, balance, quotas, keys, endpoints and deliveries of a business')
    .argument('<id>', 'id of the business')
    .addHelpText('after', showHelp)
    .action(
      act(async (deps, id: string) => {
        const { lookUpBusinessFacts } = await import('../../businesses/business-facts.ts')
        const facts = found(await lookUpBusinessFacts(deps, id), `There is no business ${id}`)
        return { ...facts, limits: showLimits(facts.limits) }
      }, businessText),
    )
}

const filterOf = ({ name, live, notLive, suspended, disabled }: Options): BusinessFilter => ({
  ...(name === undefined ? {} : { name }),
  ...(live ? { liveApproved: true } : {}),
  ...(notLive ? { liveApproved: false } : {}),
  ...(suspended ? { suspended: true } : {}),
  ...(disabled ? { apiEnabled: false } : {}),
})

const columns: Column<ListedBusiness>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'NAME', cell: ({ name }) => name, mayShrink: true },
  { title: 'LIVE', cell: ({ liveApproved }) => (liveApproved ? 'approved' : 'no') },
  { title: 'API', cell: ({ apiEnabled, suspended }) => stateOf(apiEnabled, suspended) },
  { title: 'ACTIVE KEYS', cell: ({ keys }) => keys.active },
  { title: 'LAST USED', cell: ({ lastUsedDay }) => lastUsedDay },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
]

function stateOf(apiEnabled: boolean, suspended: boolean): string {
  if (suspended) return 'suspended'
  return apiEnabled ? 'open' : 'disabled'
}

const businessText = ({
  endpoints,
  lastUsedDay,
  ...facts
}: Omit<BusinessFacts, 'limits'> & { limits: object }): string =>
  detailsText({
    ...facts,
    lastUsedDay: lastUsedDay ?? 'never',
    endpoints: endpoints.map(({ id, state, health, deliveries, url }) => ({
      id,
      state,
      failuresInRow: health.failuresInRow,
      lastSuccess: dayOf(health.lastSuccessAt),
      ...deliveries,
      url,
    })),
  })
