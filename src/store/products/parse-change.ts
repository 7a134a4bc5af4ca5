import type { VariantFields } from '../../../schemas/create-product.ts'
import { type UpdateProductBody, updateProductBody } from '../../../schemas/update-product.ts'
import type { Deps } from '../../deps.ts'
import type { ProductChange, VariantChange } from './changed-product.ts'
import { readSkus } from './given-skus.ts'

/**
 * Parses the body of an update request (SPEC 4.9). The rules are the same as for a create request, except that every
 * field is optional.
 */
export function parseChange(deps: Pick<Deps, 'validate'>, body: unknown): ProductChange {
  const input = deps.validate<UpdateProductBody>(updateProductBody, body)
  const { name, description, images, active, removeMissingVariants = false } = input
  const variants = variantsOf(input)
  return {
    fields: given({ name, description, images, active }),
    variants,
    removesOthers: removeMissingVariants && input.variants !== undefined,
    givenSkus: readSkus((variants ?? []).map(({ prefix, set }) => ({ prefix, sku: set.sku ?? null }))),
  }
}

/**
 * Returns the changes to variants, or null if there are none. If `variants` is omitted, the label, price, stock and SKU
 * at the top level of the request apply to the product's only variant.
 */
function variantsOf(input: UpdateProductBody): VariantChange[] | null {
  if (input.variants !== undefined)
    return input.variants.map(({ _id = null, ...fields }, index) => ({
      prefix: `variants[${index}].`,
      _id,
      set: fieldsOf(fields),
    }))
  const set = fieldsOf(input)
  return Object.keys(set).length === 0 ? null : [{ prefix: '', _id: null, set }]
}

const fieldsOf = ({ label, price, stock, sku }: VariantFields): VariantChange['set'] =>
  given({ label, price, stock, sku })

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>
