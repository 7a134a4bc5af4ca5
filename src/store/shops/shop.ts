import { collection, type Stored } from '../../mongo/declare.ts'
import { date, flag, optional, text, whole } from '../../mongo/fields.ts'

/**
 * The shop of a business in one environment. A business has at most one shop in each environment. An operator creates
 * the live shop. The sandbox's shop is created when a test key first creates something in it. No customer can see the
 * sandbox's shop (SPEC 8). A shop is never removed.
 */
export const shops = collection({
  name: 'shops',
  kept: 'forever',
  fields: {
    _id: text,
    businessId: text,
    sandbox: flag,
    name: text,
    createdAt: date,
    /** How many imports have changed the shop's products. */
    imports: optional(whole),
  },
  indexes: [{ name: 'shopOf', key: { businessId: 1, sandbox: 1 }, unique: true }],
})
export type Shop = Stored<typeof shops>
