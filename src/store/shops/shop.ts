import type { Collection } from '../../mongo/collection.ts'

/**
 * A shop is identified by its business and environment, because a business has at most one shop in each environment. An
 * operator creates the live shop. The sandbox's shop is created by the first write with a test key, and no customer can
 * see it (SPEC 8).
 */
export interface Shop {
  _id: string
  businessId: string
  sandbox: boolean
  name: string
  createdAt: Date
}

export const shops: Collection = {
  name: 'shops',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    name: String,
    createdAt: Date,
  },
  indexes: [{ name: 'shopOf', key: { businessId: 1, sandbox: 1 }, unique: true }],
}
