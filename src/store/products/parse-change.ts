import type { VariantFields } from '../../../schemas/create-product.ts'
import { type UpdateProductBody, updateProductBody } from '../../../schemas/update-product.ts'
import type { Deps } from '../../deps.ts'
import type { ProductChange, VariantChange } from './changed-product.ts'
import { readSkus } from './given-skus.ts'

/** Judges the body of a change (SPEC 4.9) as that of a create, but that every field may be left out. */
export function parseChange(deps: Pick<Deps, 'validate'>, body: unknown): ProductChange {
  const asked = deps.validate<UpdateProductBody>(updateProductBody, body)
  const { name, description, images, active, removeMissingVariants = false } = asked
  const variants = variantsOf(asked)
  return {
    fields: given({ name, description, images, active }),
    variants,
    removesOthers: removeMissingVariants && asked.variants !== undefined,
    givenSkus: readSkus((variants ?? []).map(({ at, set }) => ({ at, sku: set.sku ?? null }))),
  }
}

/** What stands beside the name is of the only variant. */
function variantsOf(asked: UpdateProductBody): VariantChange[] | null {
  if (asked.variants !== undefined)
    return asked.variants.map(({ _id = null, ...fields }, index) => ({
      at: `variants[${index}].`,
      _id,
      set: fieldsOf(fields),
    }))
  const set = fieldsOf(asked)
  return Object.keys(set).length === 0 ? null : [{ at: '', _id: null, set }]
}

const fieldsOf = ({ label, price, stock, sku }: VariantFields): VariantChange['set'] =>
  given({ label, price, stock, sku })

type Given<Fields> = { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> }

const given = <Fields extends object>(fields: Fields): Given<Fields> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Given<Fields>
