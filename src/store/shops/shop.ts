import type { Collection } from '../../mongo/collection.ts'

/**
 * Where a business sells: at most one shop in each environment, so business and environment name it. The live one is made by an
 * operator; the sandbox's appears with the first write of a test key, and no customer ever sees it (SPEC 8).
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
