import { maxOrderItems, maxUnitsPerItem } from '../orders.ts'
import * as product from '../products.ts'
import { described } from '../requests.ts'
import * as field from './fields.ts'

const stock = field.integerSchema(0, product.maxStockUnits)

const variantFields = {
  _id: field.idSchema,
  label: field.textSchema(product.maxVariantLabelLength),
  sku: field.nullableText(product.maxSkuLength),
  price: described('Centimes.', field.priceSchema),
  stock: described('The number of units in stock.', stock),
}

export const variantSchema = field.objectSchema(variantFields)

export const productSchema = field.objectSchema({
  _id: field.idSchema,
  handle: described('Identifies the product in CSV files.', field.textSchema(product.maxHandleLength)),
  name: field.textSchema(product.maxProductNameLength),
  description: field.textSchema(product.maxDescriptionLength),
  images: field.listSchema({ ...field.urlSchema, format: 'iri' }, product.maxProductImages),
  active: described('Whether the product is for sale.', field.booleanSchema),
  sandbox: field.sandboxSchema,
  variants: { type: 'array', minItems: 1, maxItems: product.maxProductVariants, items: variantSchema },
  createdAt: field.instantSchema,
  updatedAt: field.instantSchema,
})

/** If the variant is gone or its label ambiguous, only `productId` is set. */
export const stockedVariantSchema = field.objectSchema({
  productId: field.idSchema,
  _id: field.nullableType(variantFields._id),
  label: field.nullableType(variantFields.label),
  sku: variantFields.sku,
  price: described('Centimes.', field.nullableType(field.priceSchema)),
  stock: described('The number of units in stock after the change.', field.nullableType(stock)),
})

export const deletedProductSchema = field.deletedSchema('_id')
export const productPageSchema = field.pageSchema(productSchema)

const handles = field.listSchema(field.textSchema(product.maxHandleLength), 100)

export const importResultSchema = field.objectSchema(
  {
    created: described('The number of products created.', field.countSchema),
    updated: described('The number of products changed.', field.countSchema),
    unchanged: described('The number of products that already matched the file.', field.countSchema),
    variants: described('The number of variants created or changed.', field.countSchema),
    rows: described('The number of rows in the file, without the header and blank rows.', field.countSchema),
  },
  {
    dryRun: { description: 'Present only in a dry run.', type: 'boolean', const: true },
    handles: described(
      'In a dry run, the handles of the first 100 products of each kind.',
      field.objectSchema({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)

export const orderItemSchema = field.objectSchema({
  productId: field.idSchema,
  variantId: field.idSchema,
  name: field.textSchema(product.maxProductNameLength),
  variantLabel: field.textSchema(product.maxVariantLabelLength),
  sku: field.nullableText(product.maxSkuLength),
  unitPrice: described('Centimes per unit.', field.priceSchema),
  quantity: field.integerSchema(1, maxUnitsPerItem),
  total: described('Centimes: `unitPrice` times `quantity`.', field.priceSchema),
})

export const customerSchema = field.objectSchema({
  name: field.nullableText(200),
  phone: field.nullableType(field.patternSchema('^[0-9]{8,15}$', 15)),
  email: field.nullableText(254),
})

export const orderSchema = field.objectSchema({
  _id: field.idSchema,
  number: field.orderNumberSchema,
  status: { type: 'string', const: 'PLACED' },
  items: field.listSchema(orderItemSchema, maxOrderItems),
  total: described('Centimes. The sum of all items.', field.priceSchema),
  currency: field.currencySchema,
  customer: field.nullableSchema(customerSchema),
  sandbox: field.sandboxSchema,
  createdAt: field.instantSchema,
})

export const orderPageSchema = field.pageSchema(orderSchema)
