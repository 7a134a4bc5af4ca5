import { scopes as allScopes, type Scope } from '../../schemas/scopes.ts'
import type { Business } from '../businesses/business.ts'
import type { KeyFacts } from '../businesses/key-facts.ts'
import type { ListedBusiness } from '../businesses/list-businesses.ts'
import type { Difference } from '../reconciliation/reconciliation.ts'
import type { PresentedReplay } from '../replays/replay.ts'
import type { AccountFacts } from '../staff/list-accounts.ts'
import type { ShopFacts } from '../store/shops/shops.ts'
import type { WalletFacts } from '../wallets/sandbox/operate.ts'
import type { EndpointFacts } from '../webhooks/endpoints/endpoint-facts.ts'

/**
 * `money` is in centimes, and a `user` text was chosen by a merchant. Lists on the command line show only the UTC day
 * of a `date`. Only pages show `html`.
 */
export type Unit = 'text' | 'id' | 'user' | 'count' | 'money' | 'time' | 'date' | 'day' | 'html'

/** Pages, lists of the command line and confirmations of acts all show it. */
export interface ShownField<Thing> {
  label: string
  unit?: Unit
  value(thing: Thing): string | number | boolean | Date | null
}

type Fields<Thing, Name extends string> = Record<Name, ShownField<Thing>>
const shown =
  <Thing>() =>
  <Name extends string>(fields: Fields<Thing, Name>): Fields<Thing, Name> =>
    fields

const modeOf = (sandbox: boolean): 'test' | 'live' => (sandbox ? 'test' : 'live')
export const scopesInWords = (scopes: readonly Scope[]): string =>
  allScopes.every((scope) => scopes.includes(scope)) ? 'all' : scopes.join(', ')

export const businessShown = shown<
  Pick<Business, 'name' | 'liveApproved' | 'apiEnabled' | 'suspended' | 'createdAt'>
>()({
  name: { label: 'Name', unit: 'user', value: ({ name }) => name },
  liveMode: { label: 'Live mode', value: ({ liveApproved }) => (liveApproved ? 'approved' : 'not approved') },
  api: {
    label: 'Developer API',
    value: ({ suspended, apiEnabled }) => (suspended ? 'suspended' : apiEnabled ? 'open' : 'disabled'),
  },
  paymentPages: {
    label: 'Payment pages',
    value: ({ suspended }) => (suspended ? 'closed: the business is suspended' : 'open'),
  },
  createdAt: { label: 'Created', unit: 'date', value: ({ createdAt }) => createdAt },
})

export const listedBusinessShown = shown<ListedBusiness>()({
  id: { label: 'Id', unit: 'id', value: ({ id }) => id },
  activeKeys: { label: 'Active keys', unit: 'count', value: ({ keys }) => keys.active },
  lastUsedDay: { label: 'Last used', unit: 'day', value: ({ lastUsedDay }) => lastUsedDay },
})

export const keyShown = shown<KeyFacts>()({
  id: { label: 'Id', unit: 'id', value: ({ id }) => id },
  key: { label: 'Key', value: ({ key }) => key },
  business: { label: 'Business', unit: 'id', value: ({ businessId }) => businessId },
  mode: { label: 'Mode', value: ({ mode }) => mode },
  kind: { label: 'Kind', value: ({ kind }) => kind },
  status: { label: 'State', value: ({ status }) => status },
  scopes: { label: 'Scopes', value: ({ scopes }) => scopesInWords(scopes) },
  addresses: { label: 'IP addresses', value: ({ ipAllowlist }) => ipAllowlist.join(', ') || 'all' },
  createdAt: { label: 'Created', unit: 'date', value: ({ createdAt }) => createdAt },
  lastUsedDay: { label: 'Last used', unit: 'day', value: ({ lastUsedDay }) => lastUsedDay },
})

export const endpointShown = shown<EndpointFacts>()({
  id: { label: 'Id', unit: 'id', value: ({ id }) => id },
  business: { label: 'Business', unit: 'id', value: ({ businessId }) => businessId },
  mode: { label: 'Mode', value: ({ sandbox }) => modeOf(sandbox) },
  state: { label: 'State', value: ({ state }) => state },
  failures: { label: 'Failures', unit: 'count', value: ({ health }) => health.failuresInRow },
  lastSuccess: { label: 'Last success', unit: 'date', value: ({ health }) => health.lastSuccessAt },
  url: { label: 'URL', unit: 'user', value: ({ url }) => url },
})

export const accountShown = shown<AccountFacts & { lastSignInAt?: Date | null }>()({
  name: { label: 'Name', unit: 'user', value: ({ name }) => name },
  role: { label: 'Role', value: ({ role }) => role },
  state: { label: 'State', value: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled') },
  secondFactor: { label: 'Second factor', value: ({ secondFactor }) => secondFactor },
  lastSignIn: { label: 'Last sign-in', unit: 'date', value: ({ lastSignInAt = null }) => lastSignInAt },
  createdAt: { label: 'Created', unit: 'date', value: ({ createdAt }) => createdAt },
})

export const replayShown = shown<
  Pick<PresentedReplay, 'createdAt' | 'status' | 'sandbox' | 'total' | 'requeued' | 'created' | 'skipped'>
>()({
  startedAt: { label: 'Started', unit: 'time', value: ({ createdAt }) => createdAt },
  status: { label: 'Status', value: ({ status }) => status },
  mode: { label: 'Mode', value: ({ sandbox }) => modeOf(sandbox) },
  total: { label: 'Total', unit: 'count', value: ({ total }) => total },
  requeued: { label: 'Re-queued', unit: 'count', value: ({ requeued }) => requeued },
  created: { label: 'Created', unit: 'count', value: ({ created }) => created },
  skipped: { label: 'Skipped', unit: 'count', value: ({ skipped }) => skipped },
})

export const shopShown = shown<ShopFacts>()({
  id: { label: 'Id', unit: 'id', value: ({ id }) => id },
  business: { label: 'Business', unit: 'id', value: ({ businessId }) => businessId },
  mode: { label: 'Mode', value: ({ mode }) => mode },
  createdAt: { label: 'Created', unit: 'date', value: ({ createdAt }) => createdAt },
  name: { label: 'Name', unit: 'user', value: ({ name }) => name },
})

export const walletShown = shown<WalletFacts>()({
  phone: { label: 'Phone', value: ({ phone }) => phone },
  business: { label: 'Business', unit: 'id', value: ({ businessId }) => businessId },
  balance: { label: 'Balance', unit: 'count', value: ({ balance }) => balance },
  pin: { label: 'PIN', value: ({ pin }) => (pin.lockEndsAt === null ? 'open' : 'locked') },
  outcome: {
    label: 'Fixed outcome',
    value: ({ fixedOutcome }) => fixedOutcome && Object.values(fixedOutcome).join(' '),
  },
  createdAt: { label: 'Created', unit: 'date', value: ({ createdAt }) => createdAt },
})

export const differenceShown = shown<Difference>()({
  difference: { label: 'Difference', value: ({ difference }) => difference },
  key: { label: 'Key', unit: 'user', value: ({ key }) => key },
  kind: { label: 'Kind', value: ({ kind }) => kind ?? 'unknown' },
  here: { label: 'Here', unit: 'money', value: ({ here }) => here ?? 'missing' },
  there: { label: 'At the provider', unit: 'money', value: ({ there }) => there ?? 'missing' },
  line: { label: 'Line', unit: 'count', value: ({ line }) => line },
  payment: { label: 'Payment', unit: 'id', value: ({ reference }) => reference },
})
