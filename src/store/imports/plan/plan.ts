import type { Collection } from '../../../mongo/collection.ts'
import type { Variant } from '../../products/product.ts'

/**
 * The number of products that were created, updated or unchanged, of variants that were created or changed, and of rows
 * that were read.
 */
export interface ImportCounts {
  created: number
  updated: number
  unchanged: number
  variants: number
  rows: number
}

/** The changes to one existing product, which contain only the fields that differ. */
export interface ProductPatch {
  productId: string
  set: { name?: string; description?: string; active?: boolean }
  variants: ({ _id: string } & Partial<Pick<Variant, 'sku' | 'price' | 'stock'>>)[]
  added: Variant[]
}

/** Returns the number of variants that a patch changes or adds. */
export const countVariants = ({ variants, added }: ProductPatch): number => variants.length + added.length

/**
 * One import of a shop. The `_id` is the effect id of the import's claim. A shop has at most one open plan. A plan has
 * one of these states:
 *
 * - `preparing`: the new products are being stored but are not listed yet, and the products that will change are being
 *   marked with the plan's token. Readers do not see any change.
 * - `committed`: the import will be carried out, and any process may finish it.
 * - `aborting`: the import will not be carried out, and any process may undo its preparations.
 * - `done`: the import has been carried out, and the shop is free for its next import.
 */
export interface ImportPlan {
  _id: string
  businessId: string
  sandbox: boolean
  open?: true
  state: 'preparing' | 'committed' | 'aborting' | 'done'
  /**
   * Identifies one attempt at the import. Prepared products contain this token, so that an attempt never uses products
   * that a late write of an earlier attempt has prepared.
   */
  token: string
  /** Before this time, only the request that created the plan may end it. */
  leaseEndsAt: Date
  patches: ProductPatch[]
  counts: ImportCounts
  createdAt: Date
  /** When MongoDB removes the finished plan. By then, the claim no longer exists, so no retry needs the plan. */
  expiresAt?: Date
}

/** A plan without its patches, which may take up megabytes. */
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
