import type { Collection } from '../../../mongo/collection.ts'
import type { Variant } from '../../products/product.ts'

/**
 * The counts of an import. `created`, `updated` and `unchanged` are numbers of products. `variants` is the number of
 * variants that were created or changed. `rows` is the number of rows that were read.
 */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  variants: number
  rows: number
}

/** The changes to one existing product. A patch contains only the fields that differ from the product. */
export interface ProductPatch {
  productId: string
  set: { name?: string; description?: string; active?: boolean }
  variants: ({ _id: string } & Partial<Pick<Variant, 'sku' | 'price' | 'stock'>>)[]
  added: Variant[]
}

/** Returns the number of variants that a patch changes or adds. */
export const countVariants = ({ variants, added }: ProductPatch): number => variants.length + added.length

/**
 * One product import into a shop. The `_id` is the effect id of the import's claim. A shop has at most one open plan. A
 * plan has one of these states:
 *
 * - `preparing`: the new products are being stored without being listed, and the products that will change are being
 *   marked with the plan's token. Merchants do not see any change yet.
 * - `committed`: the import is certain to be carried out, and any process may finish it.
 * - `aborting`: the import is certain not to be carried out, and any process may undo its preparations.
 * - `done`: the import has been carried out, and the shop is free for its next import.
 */
export interface ImportPlan {
  _id: string
  businessId: string
  sandbox: boolean
  open?: true
  state: 'preparing' | 'committed' | 'aborting' | 'done'
  /**
   * Identifies one attempt at the import. The products that an attempt prepares contain its token. An attempt therefore
   * never uses products that were prepared by a late write of an earlier attempt.
   */
  token: string
  /** Until this time, only the request that created the plan, or a retry of that request, may end the plan. */
  leaseEndsAt: Date
  patches: ProductPatch[]
  counts: ImportCounts
  createdAt: Date
  /**
   * The time at which MongoDB removes the finished plan. By then, the claim no longer exists, so no retry needs the
   * plan.
   */
  expiresAt?: Date
}

/** A plan without its patches. The patches are omitted because they may take up megabytes. */
export type FoundPlan = Omit<ImportPlan, 'patches'>

export const withoutPatches = { patches: 0 } as const

export const importPlans: Collection = {
  name: 'importplans',
  fields: {
    _id: String,
    businessId: String,
    sandbox: Boolean,
    open: Boolean,
    state: String,
    token: String,
    leaseEndsAt: Date,
    patches: [
      {
        _id: false,
        productId: String,
        set: { type: { name: String, description: String, active: Boolean }, _id: false },
        variants: [{ _id: String, sku: String, price: Number, stock: Number }],
        added: [{ _id: String, label: String, sku: String, price: Number, stock: Number }],
      },
    ],
    counts: {
      created: Number,
      updated: Number,
      unchanged: Number,
      variants: Number,
      rows: Number,
    },
    createdAt: Date,
    expiresAt: Date,
  },
  indexes: [
    {
      name: 'openImport',
      key: { businessId: 1, sandbox: 1 },
      unique: true,
      partialFilterExpression: { open: true },
    },
    { name: 'unfinished', key: { leaseEndsAt: 1 }, partialFilterExpression: { open: true } },
    { name: 'expired', key: { expiresAt: 1 }, expireAfterSeconds: 0 },
  ],
}
