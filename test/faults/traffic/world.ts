import type { Wallet } from './books.ts'
import type { Wish } from './wish.ts'

export interface Key {
  id: string
  secret: string
  mode: 'test' | 'live'
  kind: 'secret' | 'publishable'
  business: string
}

/** An intent as its merchant knows it from what the service answered last. Instants are milliseconds of the service's clock. */
export interface KnownIntent {
  reference: string
  shortCode: string
  code: string
  /** Centimes; of an OPEN one null until it is paid. */
  amount: number | null
  status: string
  refunded: number
  expiresAt: number
  /** Nobody pays or cancels it: it is to expire. */
  isLeftAlone: boolean
  created: { wish: Wish; at: number; repeats: number }
}

/** A product whose stock moves by stock changes and orders alone, so that it can be balanced. */
export interface KnownProduct {
  id: string
  variants: { id: string; label: string }[]
}

/** A business in one environment: what is known there by its keys. */
export interface Place {
  business: Business
  sandbox: boolean
  marker: string
  /** Secret ones. */
  keys: Key[]
  publishable: Key
  hasShop: boolean
  intents: KnownIntent[]
  products: KnownProduct[]
  /** Ids of products that come and go. */
  passing: string[]
  orders: string[]
  deliveries: string[]
}

export interface Business {
  index: number
  id: string
  name: string
  isLive: boolean
  /** What each of its places has in all its names; that of live also where it is not approved for it. */
  markers: { test: string; live: string }
  endpoints: { id: string; isLasting: boolean }[]
}

export interface Employee {
  name: string
  role: 'support' | 'viewer'
  password: string
  /** Of the session; empty where nobody is signed in. */
  cookie: string
}

/** All that the traffic knows. */
export interface World {
  businesses: Business[]
  places: Place[]
  wallets: Wallet[]
  providerWallets: Wallet[]
  staff: Employee[]
  /** http://127.0.0.1:port of the receivers. */
  receiversOrigin: string
  /** The service's clock, in milliseconds. */
  now: () => number
}

/** The latest so many of each kind are what anybody still does something with; the auditor knows the others from the lists. */
const remembered = 300

export function remember<T>(list: T[], item: T): void {
  list.push(item)
  if (list.length > remembered) list.shift()
}
