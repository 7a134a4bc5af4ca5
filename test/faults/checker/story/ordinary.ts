import type { IntentDocument, ProductDocument } from '../documents.ts'
import { at, idOf, iso } from './clock.ts'
import { cancel, create, expire, read, refund, register, simulate, tell } from './happenings.ts'
import { call, emptyStory, good, type Story, shop } from './story.ts'

/** An ordinary round: one intent of each end, one paid by a wallet, a product that is sold, counted and brought, and an act of support. */
export interface Ordinary extends Story {
  paid: IntentDocument
  cancelled: IntentDocument
  expired: IntentDocument
  byWallet: IntentDocument
  product: ProductDocument
}

export function ordinary(): Ordinary {
  const story = emptyStory()
  register(story)
  const paid = create(story, 'paid', 1)
  tell(story, paid, 'payment.created', 1)
  read(story, paid, 2)
  simulate(story, paid, 5)
  tell(story, paid, 'payment.confirmed', 5)
  refund(story, paid, 8, 200)
  tell(story, paid, 'payment.refunded', 8)
  const cancelled = create(story, 'cancelled', 2)
  tell(story, cancelled, 'payment.created', 2)
  cancel(story, cancelled, 6)
  tell(story, cancelled, 'payment.cancelled', 6)
  const expired = create(story, 'expired', 3)
  tell(story, expired, 'payment.created', 3)
  expire(expired)
  tell(story, expired, 'payment.expired', 33)
  const byWallet = payByWallet(story)
  const product = sell(story)
  support(story)
  for (const intent of [paid, cancelled, expired, byWallet]) read(story, intent, 210, 'auditor')
  return Object.assign(story, { paid, cancelled, expired, byWallet, product })
}

const paymentId = idOf('payment')

function payByWallet(story: Story): IntentDocument {
  const intent = create(story, 'wallet', 4)
  tell(story, intent, 'payment.created', 4)
  call(story, 9, {
    what: 'pay.confirm',
    actor: 'customer',
    business: null,
    keyId: null,
    sandbox: null,
    path: `/p/${intent.shortCode}`,
    body: { form: `${paymentId}.time.signature`, phone: '22 99 99 99', pin: '918273' },
    status: 303,
    headers: { location: `/p/${intent.shortCode}` },
    answer: { text: '', state: null, location: `/p/${intent.shortCode}` },
  })
  Object.assign(intent, { status: 'PAID', updatedAt: at(9.05), codeReusableAt: at(9.05 + 900) })
  intent.payment = {
    amountPaid: 500,
    paidAt: at(9.05),
    payerPhone: '22******99',
    commission: { providerTtc: 10, payerTtc: 5, tof: 2, tte: 1, totalRevenue: 12 },
    wallet: 'sandbox',
    key: paymentId,
  }
  tell(story, intent, 'payment.confirmed', 9.05)
  const done = { accountId: '22999999', kind: 'payment', amount: 500, result: { outcome: 'done' } } as const
  story.dump.walletmovements.push({ _id: paymentId, ...done })
  for (const wallet of story.dump.wallets) wallet.balance = 500
  return intent
}

/** 10 at first, 5 are brought, 3 sold: 12 are left. */
function sell(story: Story): ProductDocument {
  const product: ProductDocument = {
    _id: idOf('product'),
    businessId: shop.id,
    sandbox: true,
    name: shop.marker,
    handle: idOf('product'),
    variants: [{ _id: idOf('variant'), label: 'Default', price: 7, stock: 12 }],
    reservations: [],
    deletedAt: null,
    listed: true,
    createdAt: at(-5),
  }
  story.dump.products.push(product)
  story.setting.stock.push({
    business: shop.id,
    sandbox: true,
    product: product._id,
    variant: idOf('variant'),
    quantity: 10,
  })
  call(story, -5, {
    what: 'product.create',
    path: '/api/v1/dev/store/products',
    idempotencyKey: 'product-1',
    body: { name: shop.marker },
    status: 201,
    answer: good({ _id: product._id, variants: [{ _id: idOf('variant'), label: 'Default', stock: 10 }] }),
  })
  call(story, 10, {
    what: 'stock',
    method: 'PATCH',
    path: `/api/v1/dev/store/products/${product._id}/variants/Default/stock`,
    idempotencyKey: 'stock-1',
    body: { delta: 5 },
    answer: good({ productId: product._id, stock: 15 }),
  })
  place(story, product, 11)
  return product
}

function place(story: Story, product: ProductDocument, seconds: number): void {
  const variant = { variantId: idOf('variant'), name: 'Tea', variantLabel: 'Default', sku: null }
  const items = [{ productId: product._id, ...variant, unitPrice: 7, quantity: 3, total: 21 }]
  const order = {
    _id: idOf('order'),
    number: 'OR-XXXXXXXXXXXXXXXX',
    items,
    total: 21,
    status: 'PLACED',
  } as const
  const whole = {
    ...order,
    businessId: shop.id,
    sandbox: true,
    customer: null,
    createdAt: at(seconds),
    outbox: [],
  }
  story.dump.orders.push(whole)
  call(story, seconds, {
    what: 'order',
    path: '/api/v1/dev/store/orders/simulate',
    idempotencyKey: 'order-1',
    body: { items: items.map(({ productId, variantId, quantity }) => ({ productId, variantId, quantity })) },
    status: 201,
    answer: good(structuredClone({ ...order, sandbox: true, createdAt: iso(seconds) })),
  })
}

/** Somebody signed in and asked for one more attempt; it had been delivered by the table's, and so it is the last. */
function support(story: Story): void {
  const actor = { kind: 'staff', name: 'aicha' }
  call(story, 12, {
    what: 'support.sign-in',
    actor: 'support',
    business: null,
    keyId: null,
    path: '/admin/sign-in',
    body: { name: 'aicha' },
    status: 303,
    headers: { 'set-cookie': 'session=1' },
    answer: { text: '', state: null, location: '/admin' },
  })
  story.dump.auditevents.push({
    _id: idOf('line-1'),
    at: at(12),
    actor,
    act: 'staff.signed-in',
    subject: 'aicha',
  })
  const [delivery] = story.dump.deliveries
  if (delivery === undefined) return
  call(story, 1.9, {
    what: 'requeue',
    actor: 'support',
    business: null,
    keyId: null,
    path: `/admin/deliveries/${delivery._id}/send-again`,
    status: 303,
    answer: { text: '', state: null, location: `/admin/deliveries/${delivery._id}?said=requeued` },
  })
  delivery.redrives = 1
  const line = { at: at(1.95), actor, act: 'delivery.requeued', subject: delivery._id }
  story.dump.auditevents.push({ _id: idOf('line-2'), ...line })
}
