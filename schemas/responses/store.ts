import { maxOrderItems, maxUnitsPerItem } from '../orders.ts'
import * as product from '../products.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

const stock = field.integerSchema(0, product.maxStock)

const variantFields = {
  _id: field.idSchema,
  label: field.textUpTo(product.maxLabelLength),
  sku: field.textOrNull(product.maxSkuLength),
  price: described('Centimes.', field.priceSchema),
  stock: described('The number of units in stock.', stock),
}

export const variantSchema = field.objectOf(variantFields)

export const productSchema = field.objectOf({
  _id: field.idSchema,
  handle: described('Identifies the product in CSV files.', field.textUpTo(product.maxHandleLength)),
  name: field.textUpTo(product.maxNameLength),
  description: field.textUpTo(product.maxDescriptionLength),
  images: described(
    'The URLs of the images.',
    field.listOf({ ...field.urlSchema, format: 'iri' }, product.maxImages),
  ),
  active: described('Whether the product is for sale.', field.booleanSchema),
  sandbox: field.sandboxSchema,
  variants: { type: 'array', minItems: 1, maxItems: product.maxVariants, items: variantSchema },
  createdAt: field.instant,
  updatedAt: field.instant,
})

/** Except `productId`, all fields are null if the variant was removed or its label became ambiguous. */
export const stockedVariantSchema = field.objectOf({
  productId: field.idSchema,
  _id: field.orNull(variantFields._id),
  label: field.orNull(variantFields.label),
  sku: variantFields.sku,
  price: described('Centimes.', field.orNull(field.priceSchema)),
  stock: described('The number of units in stock after the change.', field.orNull(stock)),
})

export const deletedProductSchema = field.deletedSchema('_id')
export const productPageSchema = field.pageSchema(productSchema)

const handles = field.listOf(field.textUpTo(product.maxHandleLength), 100)

export const importResultSchema = field.objectOf(
  {
    created: described('The number of products created.', field.count),
    updated: described('The number of products changed.', field.count),
    unchanged: described('The number of products that already matched the file.', field.count),
    variants: described('The number of variants created or changed.', field.count),
    rows: described('The number of rows in the file, without the header and blank rows.', field.count),
  },
  {
    dryRun: described('Present only in a dry run, which changes nothing.', {
      type: 'boolean',
      const: true,
    }),
    handles: described(
      'Present only in a dry run: the handles of the first 100 products of each kind.',
      field.objectOf({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)

export const orderItemSchema = field.objectOf({
  productId: field.idSchema,
  variantId: field.idSchema,
  name: field.textUpTo(product.maxNameLength),
  variantLabel: field.textUpTo(product.maxLabelLength),
  sku: field.textOrNull(product.maxSkuLength),
  unitPrice: described('Centimes per unit.', field.priceSchema),
  quantity: field.integerSchema(1, maxUnitsPerItem),
  total: described('Centimes: `unitPrice` times `quantity`.', field.priceSchema),
})

export const customerSchema = field.objectOf({
  name: field.textOrNull(200),
  phone: field.orNull(field.textMatching('^[0-9]{8,15}$', 15)),
  email: field.textOrNull(254),
})

export const orderSchema = field.objectOf({
  _id: field.idSchema,
  number: field.orderNumber,
  status: { type: 'string', const: 'PLACED' },
  items: field.listOf(orderItemSchema, maxOrderItems),
  total: described('Centimes. The sum of all items.', field.priceSchema),
  currency: field.currencySchema,
  customer: field.nullable(customerSchema),
  sandbox: field.sandboxSchema,
  createdAt: field.instant,
})

export const orderPageSchema = field.pageSchema(orderSchema)
