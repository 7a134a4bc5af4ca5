import {
  notBesideVariants,
  type ProductFields,
  productFields,
  type VariantFields,
  variantFields,
} from './create-product.ts'
import { mostVariants } from './product-limits.ts'

/** Body of PUT /dev/store/products/{id}: any of these (SPEC 4.9). A variant is told by its `_id`, or else by its label. */
export const updateProductBody = {
  type: 'object',
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      maxItems: mostVariants,
      items: {
        type: 'object',
        properties: { _id: { type: 'string', maxLength: 64, format: 'storable-text' }, ...variantFields },
        if: { required: ['_id'] },
        else: { required: ['label'] },
      },
    },
    removeMissingVariants: {
      description: 'Whether the variants that are not among these go.',
      type: 'boolean',
    },
  },
  dependencies: { variants: notBesideVariants },
  if: {
    not: { properties: { removeMissingVariants: { const: true } }, required: ['removeMissingVariants'] },
  },
  else: {
    properties: {
      variants: {
        type: 'array',
        minItems: 1,
        maxItems: mostVariants,
        items: {},
        says: 'must leave one at least',
      },
    },
  },
} as const

export interface UpdateProductBody extends ProductFields, Omit<VariantFields, 'label'> {
  variants?: ({ _id?: string } & VariantFields)[]
  removeMissingVariants?: boolean
}
