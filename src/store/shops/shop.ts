import type { Collection } from '../../mongo/collection.ts'

/**
 * A business has at most one shop in each environment, so business and environment identify it. An operator creates the
 * live shop. The first write of a test key creates the sandbox's shop, which no customer sees (SPEC 8).
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
