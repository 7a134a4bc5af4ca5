import { maxOrderItems, maxUnitsPerItem } from '../orders.ts'
import {
  maxDescriptionLength,
  maxHandleLength,
  maxImages,
  maxLabelLength,
  maxNameLength,
  maxSkuLength,
  maxStock,
  maxVariants,
} from '../products.ts'
import {
  booleanSchema,
  count,
  currencySchema,
  deletedSchema,
  id,
  instant,
  integerSchema,
  listOf,
  nullable,
  objectOf,
  orderNumber,
  orNull,
  pageSchema,
  priceSchema,
  sandboxSchema,
  textMatching,
  textOrNull,
  textUpTo,
  urlSchema,
  withDescription,
} from './fields.ts'

const stock = integerSchema(0, maxStock)

const variantFields = {
  _id: id,
  label: textUpTo(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  price: withDescription('Centimes.', priceSchema),
  stock: withDescription('The number of units in stock.', stock),
}

export const variantSchema = objectOf(variantFields)

export const productSchema = objectOf({
  _id: id,
  handle: withDescription('Identifies the product in CSV files.', textUpTo(maxHandleLength)),
  name: textUpTo(maxNameLength),
  description: textUpTo(maxDescriptionLength),
  images: withDescription('The URLs of the images.', listOf({ ...urlSchema, format: 'iri' }, maxImages)),
  active: withDescription('Whether the product is for sale.', booleanSchema),
  sandbox: sandboxSchema,
  variants: { type: 'array', minItems: 1, maxItems: maxVariants, items: variantSchema },
  createdAt: instant,
  updatedAt: instant,
})

/** Except `productId`, all fields are null if the variant was removed or its label became ambiguous. */
export const stockedVariantSchema = objectOf({
  productId: id,
  _id: orNull(variantFields._id),
  label: orNull(variantFields.label),
  sku: variantFields.sku,
  price: withDescription('Centimes.', orNull(priceSchema)),
  stock: withDescription('The number of units in stock after the change.', orNull(stock)),
})

export const deletedProductSchema = deletedSchema('_id')
export const productPageSchema = pageSchema(productSchema)

const handles = listOf(textUpTo(maxHandleLength), 100)

export const importResultSchema = objectOf(
  {
    created: withDescription('The number of products created.', count),
    updated: withDescription('The number of products changed.', count),
    unchanged: withDescription('The number of products that already matched the file.', count),
    variants: withDescription('The number of variants created or changed.', count),
    rows: withDescription('The number of rows in the file, without the header and blank rows.', count),
  },
  {
    dryRun: withDescription('Present only in a dry run, which changes nothing.', {
      type: 'boolean',
      const: true,
    }),
    handles: withDescription(
      'Present only in a dry run: the handles of the first 100 products of each kind.',
      objectOf({ created: handles, updated: handles, unchanged: handles }),
    ),
  },
)

export const orderItemSchema = objectOf({
  productId: id,
  variantId: id,
  name: textUpTo(maxNameLength),
  variantLabel: textUpTo(maxLabelLength),
  sku: textOrNull(maxSkuLength),
  unitPrice: withDescription('Centimes per unit.', priceSchema),
  quantity: integerSchema(1, maxUnitsPerItem),
  total: withDescription('Centimes: `unitPrice` times `quantity`.', priceSchema),
})

export const customerSchema = objectOf({
  name: textOrNull(200),
  phone: orNull(textMatching('^[0-9]{8,15}$', 15)),
  email: textOrNull(254),
})

export const orderSchema = objectOf({
  _id: id,
  number: orderNumber,
  status: { type: 'string', const: 'PLACED' },
  items: listOf(orderItemSchema, maxOrderItems),
  total: withDescription('Centimes. The sum of all items.', priceSchema),
  currency: currencySchema,
  customer: nullable(customerSchema),
  sandbox: sandboxSchema,
  createdAt: instant,
})

export const orderPageSchema = pageSchema(orderSchema)
