import { notBesideVariants, productFields, variantFields } from './create-product.ts'
import { maxVariants } from './product-limits.ts'
import type { ValueOf } from './value-of.ts'

/**
 * The body of a PUT /dev/store/products/{id} request (SPEC 4.9). The body may contain any of these fields. A variant is
 * identified by its `_id`, or by its label if it has no `_id`.
 */
export const updateProductBody = {
  type: 'object',
  properties: {
    ...productFields,
    variants: {
      type: 'array',
      maxItems: maxVariants,
      items: {
        type: 'object',
        properties: { _id: { type: 'string', maxLength: 64, format: 'storable-text' }, ...variantFields },
        if: { required: ['_id'] },
        else: { required: ['label'] },
      },
    },
    removeMissingVariants: {
      description: 'Whether to remove the variants that `variants` does not contain.',
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
        maxItems: maxVariants,
        items: {},
        message: 'must leave at least one variant',
      },
    },
  },
} as const

export type UpdateProductBody = ValueOf<typeof updateProductBody>
