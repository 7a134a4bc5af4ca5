import type { Setting } from '../evidence/evidence.ts'
import type { Wallet } from './books.ts'
import { type Chance, chanceOf } from './chance.ts'
import { clientTimeoutMs } from './client.ts'
import { businessesCount, mannerOf } from './hooks.ts'
import { type Manner, tiresome } from './manners.ts'
import { everyEvent, subscribe } from './operations/endpoints.ts'
import { openProduct } from './operations/store.ts'
import type { Scene } from './scene.ts'
import type { Business, Employee, Key, Place, World } from './world.ts'

/** Runs the command line of the service and answers what it printed. */
export type Admin = (args: string[]) => Promise<{ [name: string]: unknown }>

/** What the traffic adds to a round's setting. */
export type Provisioned = Pick<
  Setting,
  'businesses' | 'wallets' | 'providerWallets' | 'staff' | 'stock' | 'clientTimeoutMs'
>

/** The first so many are approved for live, and the first so many of these have a live shop. */
const [liveBusinesses, liveShops] = [3, 2]
const keysPerPlace = 2
const walletsCount = 10
const productsPerPlace = 3
/** Of the five that a business may have: all at the first hook, something at the others. */
const lastingHooks = [0, 1, 2]

/** Everybody there is, made by the command line: businesses with keys, shops, wallets of the sandbox, staff. */
export async function provision(
  admin: Admin,
  seed: number,
  open: Pick<World, 'receiversOrigin' | 'now'>,
): Promise<World> {
  const chance = chanceOf(seed, 'provision')
  const places: Place[] = []
  const businesses: Business[] = []
  for (let index = 0; index < businessesCount; index += 1) {
    const business = await openBusiness(admin, chance, index)
    businesses.push(business)
    places.push(await openPlace(admin, business, 'test'))
    if (business.isLive) places.push(await openPlace(admin, business, 'live'))
  }
  const wallets = walletsOf(chance, '36')
  for (const { phone, pin, balance } of wallets)
    await admin(['wallet', 'create', '--phone', phone, '--pin', pin, '--balance', String(balance)])
  const staff = [
    await hire(admin, 'support', 1),
    await hire(admin, 'support', 2),
    await hire(admin, 'viewer', 1),
  ]
  return { businesses, places, wallets, providerWallets: walletsOf(chance, '46'), staff, ...open }
}

async function openBusiness(admin: Admin, chance: Chance, index: number): Promise<Business> {
  const isLive = index < liveBusinesses
  const name = `Épicerie ${index + 1} ${chance.whole(1000, 9999)}`
  const { id } = await admin(['business', 'create', '--name', name, ...(isLive ? ['--live'] : [])])
  if (index < liveShops) await admin(['shop', 'create', '--business', String(id), '--name', 'Boutique'])
  const markerOf = (mode: Key['mode']) => `m${index + 1}${mode}${chance.whole(100_000, 999_999)}`
  const markers = { test: markerOf('test'), live: markerOf('live') }
  return { index, id: String(id), name, isLive, markers, endpoints: [] }
}

async function openPlace(admin: Admin, business: Business, mode: Key['mode']): Promise<Place> {
  const issue = async (kind: Key['kind']): Promise<Key> => {
    const options = ['--business', business.id, '--mode', mode, '--kind', kind]
    const { id, key } = await admin(['key', 'create', ...options])
    return { id: String(id), secret: String(key), mode, kind, business: business.id }
  }
  const keys: Key[] = []
  while (keys.length < keysPerPlace) keys.push(await issue('secret'))
  return {
    business,
    sandbox: mode === 'test',
    marker: business.markers[mode],
    keys,
    publishable: await issue('publishable'),
    hasShop: mode === 'test' || business.index < liveShops,
    intents: [],
    products: [],
    passing: [],
    orders: [],
    deliveries: [],
  }
}

/** The first is whose PIN is mistyped, the second has hardly anything. PINs have six digits, which nothing else here has. */
const walletsOf = (chance: Chance, prefix: string): Wallet[] =>
  Array.from({ length: walletsCount }, (_, index) => ({
    phone: `${prefix}${chance.whole(100_000, 999_999)}`,
    pin: String(chance.whole(100_000, 999_999)),
    balance: index === 1 ? 900 : 50_000_000,
  }))

async function hire(admin: Admin, role: Employee['role'], number: number): Promise<Employee> {
  const { name, password } = await admin(['staff', 'create', '--name', `${role}-${number}`, '--role', role])
  return { name: String(name), role, password: String(password), cookie: '' }
}

/** What merchants do before anything else, through the API: receivers, and products whose stock is balanced. */
export async function settleIn(place: Place, scene: Scene): Promise<Provisioned['stock']> {
  const { business, sandbox } = place
  if (business.endpoints.length === 0)
    for (const hook of lastingHooks) {
      const id = await subscribe(scene, hook, eventsFor(mannerOf(business.index, hook), hook))
      if (id !== null) business.endpoints.push({ id, isLasting: true })
    }
  const stock: Provisioned['stock'] = []
  while (place.hasShop && place.products.length < productsPerPlace) {
    const opened = await openProduct(scene)
    if (opened === null) throw new Error('a product could not be made')
    place.products.push(opened.product)
    for (const [index, { id }] of opened.product.variants.entries()) {
      const quantity = opened.stock[index] ?? 0
      stock.push({ business: business.id, sandbox, product: opened.product.id, variant: id, quantity })
    }
  }
  return stock
}

/** Who keeps the service waiting gets little: else what waits for it is never worked off. */
function eventsFor(manner: Manner, hook: number): string[] {
  if (hook === 0) return everyEvent
  return tiresome.includes(manner)
    ? ['order.new']
    : ['payment.confirmed', 'payment.refunded', 'payment.expired']
}

/** For the setting of the evidence. */
export function provisioned(world: World, stock: Provisioned['stock']): Provisioned {
  const keysOf = (business: Business) =>
    world.places
      .filter((place) => place.business === business)
      .flatMap(({ keys, publishable }) => [...keys, publishable])
      .map(({ id, mode, kind, secret }) => ({ id, mode, kind, secret }))
  return {
    businesses: world.businesses.map((business) => ({
      id: business.id,
      name: business.name,
      markers: business.markers,
      keys: keysOf(business),
    })),
    wallets: world.wallets,
    // As they were at first: the provider moves its own copies.
    providerWallets: world.providerWallets.map((wallet) => ({ ...wallet })),
    staff: world.staff.map(({ name, role, password }) => ({ name, role, password })),
    stock,
    clientTimeoutMs,
  }
}
