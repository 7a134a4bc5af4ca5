import type { Setting } from '../evidence/evidence.ts'
import type { RequestSpec } from './request-spec.ts'

export type Key = Setting['businesses'][number]['keys'][number] & { business: string }

/** An intent as its merchant knows it from responses. Instants are those of the service's clock. */
export interface KnownIntent {
  reference: string
  shortCode: string
  code: string
  /** In centimes; null for an OPEN intent until it is paid. */
  amount: number | null
  status: string
  refunded: number
  expiresAt: number
  isLeftAlone: boolean
  created: { spec: RequestSpec; at: number; repeats: number }
}

/** A product whose stock the checker calculates. */
export type KnownProduct = { id: string; variants: { id: string; label: string }[] }

/** A business in one environment, with everything that its merchant knows. */
export interface Tenant {
  business: Business
  sandbox: boolean
  marker: string
  keys: Key[]
  publishable: Key
  hasShop: boolean
  intents: KnownIntent[]
  products: KnownProduct[]
  /** Ids of products that are created and deleted. */
  passing: string[]
  orders: string[]
  deliveries: string[]
  /** The paths of replays. */
  replays: string[]
}

export interface Business {
  index: number
  id: string
  name: string
  isLive: boolean
  markers: { test: string; live: string }
  endpoints: { id: string; sandbox: boolean; isLasting: boolean }[]
}

/** `cookie`: of the session, or '' without one. */
export type Employee = Setting['staff'][number] & { cookie: string }

export type Wallet = Setting['wallets'][number]

export interface World {
  businesses: Business[]
  tenants: Tenant[]
  wallets: Wallet[]
  providerWallets: Wallet[]
  staff: Employee[]
  endpointsOrigin: string
  now: () => number
}

/** Adds an item to a list of at most 300. */
export function remember<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > 300) list.shift()
}
