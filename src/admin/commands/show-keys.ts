import { type Command, Option } from 'commander'
import { scopes as allScopes, type Scope } from '../../../schemas/scopes.ts'
import type { ApiKey } from '../../businesses/api-key.ts'
import type { KeyFacts, KeyInDetail } from '../../businesses/key-facts.ts'
import type { KeyFilter } from '../../businesses/list-keys.ts'
import { act, found } from './act.ts'
import { choice, someId } from './arguments.ts'
import { asList } from './list.ts'
import { type Column, detailsText } from './table.ts'
import { dayOf } from './text.ts'

const showHelp = `
"blockedBy" lists every reason why requests with the key are rejected now.
"lastUsedDay" is the last UTC day on which the service accepted the key.
"secrets" lists the current secret, those in overlap after a rotation, and the last
ones that ended.

Example:
  admin key show ID`

const listHelp = `
Examples:
  admin key list --business ID --status active
  admin key list --mode live --scope payments.refunds:write --json`

/** Adds the commands `key list` and `key show`. */
export function addKeyReads(key: Command): void {
  const list = key
    .command('list')
    .description('list keys, newest first')
    .option('--business <id>', 'only keys of this business', someId)
    .option('--mode <mode>', 'test or live', choice('test', 'live'))
    .option('--kind <kind>', 'secret or publishable', choice('secret', 'publishable'))
    .option(
      '--status <status>',
      'active, suspended or revoked',
      choice<ApiKey['status']>('active', 'suspended', 'revoked'),
    )
    .addOption(new Option('--scope <scope>', 'only keys that have this scope').choices(allScopes))
    .addHelpText('after', listHelp)
  asList(list, keyColumns, async (deps, { business: businessId, ...filter }: Filter, slice) => {
    const { listKeys } = await import('../../businesses/list-keys.ts')
    return listKeys(deps, { ...filter, ...(businessId === undefined ? {} : { businessId }) }, slice)
  })

  key
    .command('show')
    .description('show what a key may do, where and when it is used, and whether it works')
    .argument('<id>', 'id of the key')
    .addHelpText('after', showHelp)
    .action(
      act(async (deps, id: string) => {
        const { lookUpKey } = await import('../../businesses/key-facts.ts')
        return found(await lookUpKey(deps, id), `There is no key ${id}`)
      }, keyText),
    )
}

interface Filter extends Omit<KeyFilter, 'businessId'> {
  business?: string
}

export const keyColumns: Column<KeyFacts>[] = [
  { title: 'ID', cell: ({ id }) => id },
  { title: 'KEY', cell: ({ key }) => key },
  { title: 'BUSINESS', cell: ({ businessId }) => businessId },
  { title: 'STATUS', cell: ({ status }) => status },
  { title: 'SCOPES', cell: ({ scopes }) => scopesText(scopes, `${scopes.length} of ${allScopes.length}`) },
  { title: 'CREATED', cell: ({ createdAt }) => dayOf(createdAt) },
  { title: 'LAST USED', cell: ({ lastUsedDay }) => lastUsedDay },
]

const scopesText = (scopes: readonly Scope[], some: string): string =>
  scopes.length === allScopes.length ? 'all' : some

/** Returns all facts of a key as text. `matched` is shown if the key was found by one of its secrets. */
export const keyText = ({ scopes, ipAllowlist, lastUsedDay, ...key }: KeyInDetail): string =>
  detailsText({
    ...key,
    scopes: scopesText(scopes, scopes.join(', ')),
    ipAllowlist: ipAllowlist.length === 0 ? 'every address' : ipAllowlist,
    lastUsedDay: lastUsedDay ?? 'never',
  })
