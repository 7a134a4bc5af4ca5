import { type ApiScope, apiScopes as allScopes } from '../../schemas/scopes.ts'
import type { Business } from '../businesses/business.ts'
import type { KeyFacts } from '../businesses/key-facts.ts'
import type { ListedBusiness } from '../businesses/list-businesses.ts'
import type { OpenInvitation, PersonFacts } from '../people/list-people.ts'
import { modeOf } from '../platform/mode.ts'
import type { FileDifference } from '../reconciliation/reconciliation.ts'
import type { PresentedReplay } from '../replays/replay.ts'
import type { AccountFacts } from '../staff/list-accounts.ts'
import type { ShopFacts } from '../store/shops/shops.ts'
import type { WalletFacts } from '../wallets/sandbox/operate.ts'
import type { EndpointFacts } from '../webhooks/endpoints/endpoint-facts.ts'

/** `money` is in centimes, and `user` is text from merchants. */
type Unit = 'id' | 'user' | 'count' | 'money' | 'time' | 'date' | 'day'

type Shown = string | number | boolean | Date | null | undefined

interface Labelled {
  label: string
  unit?: Unit | undefined
}

/** Detail lists leave out a field whose value is undefined. */
export interface ShownField<Thing> extends Labelled {
  value(thing: Thing): Shown
}

/** Values in the HTML must be escaped. Detail lists leave out empty HTML. */
export type PageField<Thing> = Labelled & (ShownField<Thing> | { html(thing: Thing): string })

const property = <Name extends string>(
  name: Name,
  label: string,
  unit?: Unit,
): ShownField<Readonly<Record<Name, Shown>>> => ({ label, unit, value: (thing) => thing[name] })

const shown =
  <Thing>() =>
  <Name extends string>(fields: Record<Name, ShownField<Thing>>) =>
    fields

export const describeScopes = (scopes: readonly ApiScope[]): string =>
  allScopes.every((scope) => scopes.includes(scope)) ? 'all' : scopes.join(', ')

const id = property('id', 'Id', 'id')
const name = property('name', 'Name', 'user')
const business = property('businessId', 'Business', 'id')
const mode = property('mode', 'Mode')
const modeOfSandbox: ShownField<{ sandbox: boolean }> = { ...mode, value: modeOf }
const status = property('status', 'Status')
const url = property('url', 'URL', 'user')
const createdAt = property('createdAt', 'Created', 'date')
const lastUsedDay = property('lastUsedDay', 'Last used', 'day')

export const businessDisplay = shown<
  Pick<Business, 'name' | 'liveApproved' | 'apiEnabled' | 'suspended' | 'createdAt'>
>()({
  name,
  liveMode: { label: 'Live mode', value: ({ liveApproved }) => (liveApproved ? 'approved' : 'not approved') },
  api: {
    label: 'Developer API',
    value: ({ suspended, apiEnabled }) => (suspended ? 'suspended' : apiEnabled ? 'open' : 'disabled'),
  },
  paymentPages: {
    label: 'Payment pages',
    value: ({ suspended }) => (suspended ? 'closed: the business is suspended' : 'open'),
  },
  createdAt,
})

export const listedBusinessDisplay = shown<ListedBusiness>()({
  id,
  activeKeys: { label: 'Active keys', unit: 'count', value: ({ keys }) => keys.active },
  lastUsedDay,
})

export const keyDisplay = shown<KeyFacts>()({
  id,
  key: property('key', 'Key'),
  business,
  mode,
  kind: property('kind', 'Kind'),
  status: property('status', 'State'),
  scopes: { label: 'Scopes', value: ({ scopes }) => describeScopes(scopes) },
  addresses: { label: 'IP addresses', value: ({ ipAllowlist }) => ipAllowlist.join(', ') || 'all' },
  createdAt,
  lastUsedDay,
})

export const endpointDisplay = {
  url,
  createdAt,
  events: { label: 'Events', value: (endpoint: Pick<EndpointFacts, 'events'>) => endpoint.events.join(', ') },
}

export const listedEndpointDisplay = shown<EndpointFacts>()({
  id,
  business,
  mode: modeOfSandbox,
  state: property('state', 'State'),
  failures: { label: 'Failures', unit: 'count', value: ({ health }) => health.failuresInRow },
  lastSuccess: { label: 'Last success', unit: 'date', value: ({ health }) => health.lastSuccessAt },
  url,
})

export const paymentDisplay = { status, createdAt, expiresAt: property('expiresAt', 'Expires') }

export const orderDisplay = {
  status,
  total: property('total', 'Total', 'money'),
  createdAt: property('createdAt', 'Placed'),
}

export const deliveryDisplay = {
  id: property('_id', 'Delivery', 'id'),
  status,
  createdAt,
  request: {
    label: 'Request',
    unit: 'id' as const,
    value: (delivery: { requestId?: string }) => delivery.requestId,
  },
}

const state: ShownField<Pick<AccountFacts, 'disabledAt'>> = {
  label: 'State',
  value: ({ disabledAt }) => (disabledAt === null ? 'enabled' : 'disabled'),
}

export const accountDisplay = shown<AccountFacts & { lastSignInAt?: Date | null }>()({
  name,
  role: property('role', 'Role'),
  state,
  secondFactor: property('secondFactor', 'Second factor'),
  lastSignIn: { label: 'Last sign-in', unit: 'date', value: ({ lastSignInAt = null }) => lastSignInAt },
  createdAt,
})

export const personDisplay = shown<PersonFacts>()({
  id,
  name,
  roles: {
    label: 'Roles',
    value: ({ roles }) => roles.map((held) => `${held.role} of ${held.businessId}`).join(', '),
  },
  state,
  secondFactor: property('secondFactor', 'Second factor'),
  createdAt,
})

export const invitationDisplay = shown<OpenInvitation>()({
  name,
  business,
  role: property('role', 'Role'),
  expiresAt: property('expiresAt', 'Expires', 'time'),
})

export const replayDisplay = shown<
  Pick<PresentedReplay, 'createdAt' | 'status' | 'sandbox' | 'total' | 'requeued' | 'created' | 'skipped'>
>()({
  startedAt: property('createdAt', 'Started', 'time'),
  status,
  mode: modeOfSandbox,
  total: property('total', 'Total', 'count'),
  requeued: property('requeued', 'Re-queued', 'count'),
  created: property('created', 'Created', 'count'),
  skipped: property('skipped', 'Skipped', 'count'),
})

export const shopDisplay = shown<ShopFacts>()({ id, business, mode, createdAt, name })

export const walletDisplay = shown<WalletFacts>()({
  phone: property('phone', 'Phone'),
  business,
  balance: property('balance', 'Balance', 'count'),
  pin: { label: 'PIN', value: ({ pin }) => (pin.lockEndsAt === null ? 'open' : 'locked') },
  outcome: {
    label: 'Fixed outcome',
    value: ({ fixedOutcome }) => fixedOutcome && Object.values(fixedOutcome).join(' '),
  },
  createdAt,
})

export const differenceDisplay = shown<FileDifference>()({
  difference: property('difference', 'Difference'),
  key: property('key', 'Key', 'user'),
  kind: { label: 'Kind', value: ({ kind }) => kind ?? 'unknown' },
  here: { label: 'Here', unit: 'money', value: ({ here }) => here ?? 'missing' },
  there: { label: 'At the provider', unit: 'money', value: ({ there }) => there ?? 'missing' },
  line: property('line', 'Line', 'count'),
  payment: property('reference', 'Payment', 'id'),
})
