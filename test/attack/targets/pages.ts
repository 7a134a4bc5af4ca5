import { cliPath } from '../../../src/reference/clients.ts'
import { words } from '../corpora/words.ts'
import type { Target } from './target.ts'

const noBody = { kind: 'none' } as const
const page = (by: Target['by'], path: string, query: object | null = null): Target => ({
  name: `GET ${path.replaceAll(/~(\w+)~/g, ':$1').split('?')[0]}`,
  method: 'GET',
  path,
  by,
  query,
  body: noBody,
  route: null,
})
const form = (by: Target['by'], path: string, fields: Record<string, string[]>): Target => ({
  ...page(by, path),
  name: `POST ${path.replaceAll(/~(\w+)~/g, ':$1')}`,
  method: 'POST',
  body: { kind: 'form', fields },
})
const act = (path: string): Target => ({
  ...page('staff', path),
  name: `PUT ${path.replaceAll(/~(\w+)~/g, ':$1')}`,
  method: 'PUT',
})

const params = (...names: string[]): object => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
})

const csrf = ['~csrf~', '~csrf~', '~csrf~', '', 'forged', '~form~']
const span = ['from', 'to']

/** Everything besides the API: pages for customers, staff, operators and readers of the documentation. */
export const pages: readonly Target[] = [
  page('customer', '/', params('lang', 'code')),
  form('customer', '/', { code: ['~code~', '123456', '', '12 34 56'], lang: ['en', 'fr', 'ar'] }),
  page('customer', '/sandbox/~business~', params('lang')),
  form('customer', '/sandbox/~business~', { code: ['~code~', '654321', ''] }),
  page('customer', '/p/~short~', params('lang', 'amount', 'proof', 'sent')),
  form('customer', '/p/~short~', {
    form: ['~form~', '', 'forged'],
    phone: ['~phone~', '22000001', '22000003', '22000006', '+222 22 00 00 01', 'x'],
    pin: ['~pin~', '1234', '0000', '', '12345678901234567890'],
    amount: ['500', '0', '-1', '1e9', '5,00', ''],
    lang: ['en', 'fr', 'ar', 'xx'],
  }),
  page('customer', '/p/~short~/status'),
  page('customer', '/p/~short~/qr', params('lang', 'proof')),
  page('customer', '/p/~short~/qr.svg', params('proof')),
  page('customer', '/p/~short~/qr.png', params('proof')),
  page('customer', '/admin/sign-in', params('to')),
  form('customer', '/admin/sign-in', {
    name: ['~staff~', 'nobody', ''],
    password: ['~password~', 'wrong', ''],
    to: words('/admin //evil.example https://evil.example/ /\\evil.example /admin/../..//evil.example'),
  }),
  page('customer', '/admin/sign-in/code', params('to')),
  form('customer', '/admin/sign-in/code', {
    code: ['123456', 'abcd-abcd-abcd-abcd-abcd-abcd', ''],
    csrf,
    to: ['/admin'],
  }),
  page('customer', `/admin/set-password/${'A'.repeat(43)}`),
  form('customer', '/admin/set-password', {
    token: ['', 'A'.repeat(43)],
    password: ['~password~', 'wrong', ''],
    again: ['~password~', ''],
  }),
  page('staff', '/admin/account', params('done')),
  page('staff', '/admin/account/second-factor'),
  form('staff', '/admin/account/second-factor', {
    csrf,
    sealed: ['', 'forged'],
    code: ['123456'],
    current: [''],
  }),
  form('staff', '/admin/account/recovery-codes', { csrf, code: ['123456', ''] }),
  form('staff', '/admin/account/password', {
    csrf,
    old: ['wrong', ''],
    password: ['~password~'],
    again: ['~password~'],
  }),
  form('staff', '/admin/account/sessions/aaaaaaaaaaaaaaaaaaaaaaaa/end', { csrf }),
  form('staff', '/admin/account/end-other-sessions', { csrf }),
  form('staff', '/admin/sign-out', { csrf: ['', 'forged'] }),
  page('staff', '/admin'),
  page('staff', '/admin/search'),
  form('staff', '/admin/search', {
    csrf,
    q: [
      '~intent~',
      '~short~',
      '~code~',
      '~phone~',
      '22000001',
      '+222 22-00-00-01',
      '~orderNumber~',
      '.*',
      'a',
    ],
  }),
  form('staff', '/admin/search/amount', {
    csrf,
    business: ['~business~', 'shop', '.*', ''],
    amount: ['500', '5,00', '1e9', '-1', ''],
    day: ['2026-01-31', '2026-02-30', ''],
  }),
  page('staff', '/admin/dead', params(...span)),
  page('staff', '/admin/audit', params('actor', 'act', 'subject', 'business', 'before', ...span)),
  page('staff', '/admin/payments/~intent~', params('after')),
  page('staff', '/admin/orders/~orderNumber~'),
  page('staff', '/admin/deliveries/~delivery~'),
  page('staff', '/admin/endpoints/~endpoint~', params('status')),
  page('staff', '/admin/businesses', params('name', 'state', 'after')),
  page('staff', '/admin/businesses/~business~', params('done')),
  page('staff', '/admin/businesses/~business~/suspend'),
  form('staff', '/admin/businesses/~business~/suspend', { csrf, reason: ['', 'x'] }),
  page('staff', '/admin/keys/~business~'),
  page('staff', '/admin/staff', params('after')),
  page('staff', '/admin/endpoints/~endpoint~/requeue-all', params(...span)),
  form('staff', '/admin/deliveries/~delivery~/requeue', { csrf }),
  form('staff', '/admin/endpoints/~endpoint~/requeue-all', {
    csrf,
    from: ['', '2026-01-01'],
    to: [''],
    reason: ['', 'x'],
  }),
  page('staff', '/admin/endpoints/~endpoint~/replay', params('event', 'deliveries', ...span)),
  form('staff', '/admin/endpoints/~endpoint~/replay', {
    csrf,
    from: ['', '2026-01-01'],
    to: [''],
    event: ['', 'payment.created', 'x'],
    deliveries: ['all', 'undelivered'],
    reason: ['', 'x'],
  }),
  form('staff', '/admin/endpoints/~endpoint~/replays/~replay~/cancel', { csrf }),
  page('staff', '/admin/queues'),
  page('staff', '/admin/queues/api/queues', params('activeQueue', 'status', 'page', 'jobsPerPage')),
  page('staff', '/admin/queues/api/queues/webhook-delivery/~delivery~-r0'),
  page('staff', '/admin/queues/api/redis/stats'),
  act('/admin/queues/api/queues/webhook-delivery/~delivery~-r0/retry'),
  act('/admin/queues/api/queues/webhook-delivery/retry/failed'),
  act('/admin/queues/api/queues/outbox-relay/pause'),
  page('customer', '/docs/clients/payments.ts'),
  page('customer', '/docs/clients/verify.py'),
  page('customer', '/docs/clients/payments.postman_collection.json'),
  page('customer', cliPath),
  page('customer', '/docs'),
  page('customer', '/api/v1/openapi.json'),
  page('customer', '/healthz'),
  page('customer', '/readyz'),
  page('customer', '/metrics'),
  page('customer', '/admin/style.css'),
  page('customer', '/pay/nothing.css'),
  page('customer', '/api/v1/dev/nothing'),
  page('customer', '/api/v2/dev/intents'),
  page('customer', '/.env'),
]
