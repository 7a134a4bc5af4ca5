export const productId = '6920c1f4e9b0a7d25c41f803'
export const variantId = '6920c1f4e9b0a7d25c41f804'

export const request = {
  name: 'Thé vert',
  variants: [{ label: '250 g', sku: 'TV-250', price: 15_000, stock: 40 }],
}

export const product = {
  _id: productId,
  handle: productId,
  name: 'Thé vert',
  description: '',
  images: [],
  active: true,
  sandbox: true,
  variants: [{ _id: variantId, label: '250 g', sku: 'TV-250', price: 15_000, stock: 40 }],
  createdAt: '2026-11-21T19:47:00.114Z',
  updatedAt: '2026-11-21T19:47:00.114Z',
}

export const change = {
  variants: [
    { label: '250 g', price: 14_000 },
    { label: '1 kg', price: 52_000, stock: 10 },
  ],
}

export const changed = {
  ...product,
  variants: [
    { _id: variantId, label: '250 g', sku: 'TV-250', price: 14_000, stock: 40 },
    { _id: '6920c260e9b0a7d25c41f80a', label: '1 kg', sku: null, price: 52_000, stock: 10 },
  ],
  updatedAt: '2026-11-21T19:48:48.560Z',
}

export const stocked = {
  productId,
  _id: variantId,
  label: '250 g',
  sku: 'TV-250',
  price: 14_000,
  stock: 38,
}

export const file = [
  'handle,name,description,variant_label,sku,price,stock,active',
  'gunpowder,Gunpowder,"De Chine, en vrac",250 g,GP-250,15000,40,true',
  'gunpowder,,,1 kg,GP-1000,52000,10,',
  '',
].join('\n')

export const imported = { created: 1, updated: 0, unchanged: 0, variants: 2, rows: 2 }

export const exported = [
  'handle,name,description,variant_label,sku,price,stock,active',
  '"gunpowder","Gunpowder","De Chine, en vrac","250 g","GP-250",15000,40,"true"',
  '"gunpowder",,,"1 kg","GP-1000",52000,10,',
  '',
].join('\r\n')
