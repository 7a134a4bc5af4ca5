import type { Model } from 'mongoose'
import type { Collection } from '../../mongo/collection.ts'

declare module '../../platform/deps.ts' {
  interface Models {
    Shop: Model<Shop>
  }
}

/**
 * A business has at most one shop in each environment, and a shop is never removed. An operator creates the live one.
 * The sandbox's, which no customer can see (SPEC 8), is created when a test key first creates something in it.
 */
export interface Shop {
  _id: string
  businessId: string
  sandbox: boolean
  name: string
  createdAt: Date
  /** How many imports have changed the shop's products. */
  imports?: number
}

export const shops: Collection = {
  name: 'shops',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    name: String,
    createdAt: Date,
    imports: Number,
  },
  indexes: [{ name: 'shopOf', key: { businessId: 1, sandbox: 1 }, unique: true }],
}
