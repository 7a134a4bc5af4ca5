import { type Chance, chanceOf } from '../../support/chance.ts'
import type { Setting } from '../evidence/evidence.ts'
import { slowBehaviours } from './behaviours.ts'
import { clientTimeoutMs, type Key } from './client.ts'
import type { Business, Context, Employee, Person, Tenant, Wallet, World } from './context.ts'
import { behaviourOf, businessesCount } from './endpoint-servers.ts'
import { openProduct } from './operations/store.ts'
import { everyEvent, subscribe } from './operations/webhooks.ts'

export type Admin = (args: string[]) => Promise<{ [name: string]: unknown }>

export type Provisioned = Pick<
  Setting,
  'businesses' | 'wallets' | 'providerWallets' | 'staff' | 'stock' | 'clientTimeoutMs'
>

const [liveBusinesses, liveShops] = [3, 2]
const walletsCount = 10
const productsPerTenant = 3
const lastingHooks = [0, 1, 2]

export async function provision(admin: Admin, seed: number, known: Pick<World, 'endpointsOrigin' | 'now'>) {
  const chance = chanceOf(seed, 'provision')
  const tenants: Tenant[] = []
  const businesses: Business[] = []
  for (let index = 0; index < businessesCount; index += 1) {
    const business = await openBusiness(admin, chance, index)
    businesses.push(business)
    tenants.push(await createTenant(admin, business, 'test'))
    if (business.isLive) tenants.push(await createTenant(admin, business, 'live'))
  }
  const wallets = walletsOf(chance, '36')
  for (const { phone, pin, balance } of wallets)
    await admin(['wallet', 'create', '--phone', phone, '--pin', pin, '--balance', String(balance)])
  const staff: Employee[] = []
  for (const [number, role] of (['support', 'support', 'viewer'] as const).entries()) {
    const made = await admin(['staff', 'create', '--name', `${role}-${number}`, '--role', role])
    staff.push({ name: String(made.name), role, password: String(made.password), cookie: '' })
  }
  return { businesses, tenants, wallets, providerWallets: walletsOf(chance, '46'), staff, ...known }
}

async function openBusiness(admin: Admin, chance: Chance, index: number): Promise<Business> {
  const isLive = index < liveBusinesses
  const name = `Épicerie ${index + 1} ${chance.whole(1000, 9999)}`
  const { id } = await admin(['business', 'create', '--name', name, ...(isLive ? ['--live'] : [])])
  if (index < liveShops) await admin(['shop', 'create', '--business', String(id), '--name', 'Boutique'])
  const markerOf = (mode: Key['mode']) => `m${index + 1}${mode}${chance.whole(100_000, 999_999)}`
  const markers = { test: markerOf('test'), live: markerOf('live') }
  const person = isLive ? null : await invite(admin, String(id), index, chance)
  return { index, id: String(id), name, isLive, markers, person, endpoints: [] }
}

async function invite(admin: Admin, business: string, index: number, chance: Chance): Promise<Person> {
  const name = `owner-${index}@shop.example`
  const { link } = await admin([
    'person',
    'invite',
    '--business',
    business,
    '--role',
    'owner',
    '--name',
    name,
  ])
  const password = `gorgol brakna ${chance.whole(100_000, 999_999)} tagant`
  return { name, token: String(link).split('/').at(-1) ?? '', password, cookie: '' }
}

async function createTenant(admin: Admin, business: Business, mode: Key['mode']): Promise<Tenant> {
  const issue = async (kind: Key['kind']): Promise<Key> => {
    const options = ['--business', business.id, '--mode', mode, '--kind', kind]
    const { id, key } = await admin(['key', 'create', ...options])
    return { id: String(id), secret: String(key), mode, kind, business: business.id }
  }
  const known = { intents: [], products: [], passing: [], orders: [], deliveries: [], replays: [] }
  return {
    business,
    sandbox: mode === 'test',
    marker: business.markers[mode],
    keys: [await issue('secret'), await issue('secret')],
    publishable: await issue('publishable'),
    hasShop: mode === 'test' || business.index < liveShops,
    ...known,
  }
}

/** The first one's owner types wrong PINs, and the second has hardly any money. Only PINs have six digits. */
const walletsOf = (chance: Chance, prefix: string): Wallet[] =>
  Array.from({ length: walletsCount }, (_, index) => ({
    phone: `${prefix}${chance.whole(100_000, 999_999)}`,
    pin: String(chance.whole(100_000, 999_999)),
    balance: index === 1 ? 900 : 50_000_000,
  }))

const maxAttempts = 3 * productsPerTenant

export async function setUp(tenant: Tenant, context: Context): Promise<Provisioned['stock']> {
  const { business, sandbox } = tenant
  if (business.endpoints.length === 0 && sandbox !== business.isLive)
    for (const hook of lastingHooks) {
      const id = await subscribe(context, hook, eventsFor(business.index, hook))
      if (id !== null) business.endpoints.push({ id, sandbox, isLasting: true })
    }
  const stock: Provisioned['stock'] = []
  for (let attempts = 0; tenant.hasShop && tenant.products.length < productsPerTenant; attempts += 1) {
    if (attempts > maxAttempts) throw new Error('no products could be created')
    const opened = await openProduct(context)
    if (opened === null) continue
    tenant.products.push(opened.product)
    for (const [index, { id }] of opened.product.variants.entries()) {
      const quantity = opened.stock[index] ?? 0
      stock.push({ business: business.id, sandbox, product: opened.product.id, variant: id, quantity })
    }
  }
  return stock
}

/** A slow endpoint gets few events, because its queue would never end. */
function eventsFor(business: number, hook: number): string[] {
  if (hook === 0) return everyEvent
  const isSlow = slowBehaviours.includes(behaviourOf(business, hook))
  return isSlow ? ['order.new'] : ['payment.confirmed', 'payment.refunded', 'payment.expired']
}

export const provisioned = (world: World, stock: Provisioned['stock']): Provisioned => ({
  businesses: world.businesses.map(({ id, name, markers }) => {
    const tenants = world.tenants.filter(({ business }) => business.id === id)
    return { id, name, markers, keys: tenants.flatMap(({ keys, publishable }) => [...keys, publishable]) }
  }),
  wallets: world.wallets,
  providerWallets: world.providerWallets.map((wallet) => ({ ...wallet })),
  staff: world.staff.map(({ name, role, password }) => ({ name, role, password })),
  stock,
  clientTimeoutMs,
})
