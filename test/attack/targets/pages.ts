import { readPackages } from '../../../src/reference/packages.ts'
import { words } from '../corpora/words.ts'
import type { Target } from './target.ts'

function page(by: Target['by'], address: string): Target {
  const [path = '', names] = address.split('?')
  const properties = Object.fromEntries(names?.split(',').map((name) => [name, { type: 'string' }]) ?? [])
  return {
    name: `GET ${path.replaceAll(/~(\w+)~/g, ':$1')}`,
    method: 'GET',
    path,
    by,
    query: names === undefined ? null : { type: 'object', properties },
    body: { kind: 'none' },
    route: null,
  }
}
const pagesOf = (by: Target['by'], addresses: string) => words(addresses).map((address) => page(by, address))

const form = (by: Target['by'], path: string, fields: Record<string, string[]>): Target => {
  const shown = page(by, path)
  return { ...shown, name: shown.name.replace('GET', 'POST'), method: 'POST', body: { kind: 'form', fields } }
}
const act = (path: string, fields: Record<string, string[]> = {}) =>
  form('staff', `/admin/${path}`, { csrf, ...fields })
const secondCodes = ['123456', 'abcd-abcd-abcd-abcd-abcd-abcd', '']
const period = { from: ['', '2026-01-01'], to: [''], reason: ['', 'x'] }
const searched = words('~intent~ ~short~ ~code~ ~phone~ 22000001 ~orderNumber~ .* a')
const replayed = ['', 'payment.created', 'x']
const csrf = ['~csrf~', '~csrf~', '~csrf~', '', 'forged', '~form~']

const own = (path: string, fields: Record<string, string[]> = {}) =>
  form('person', `/portal/${path}`, { csrf, ...fields })

/** A person acts in their own business, and tries to in another. */
const unknown = 'aaaaaaaaaaaaaaaaaaaaaaaa'
const once = { form: ['~form~', '', 'forged'] }
const inBusiness = (business: string) => [
  own(`${business}/test/owners/${unknown}/seen`),
  own(`${business}/test/keys/new/secret`, {
    ...once,
    'payments.intents:read': ['on', ''],
    addresses: ['', '192.0.2.0/24 2001:db8::7', '10.1', '::ffff:0:0/1'],
  }),
  own(`${business}/test/keys/${unknown}/rotate`, { ...once, overlap: ['0', '5', ''] }),
  own(`${business}/test/keys/${unknown}/revoke`),
  own(`${business}/live/keys/live-access`),
  own(`${business}/test/people/invite`, {
    ...once,
    name: ['22000001', 'x@shop.example', 'x', ''],
    role: ['cashier', 'owner', 'king'],
  }),
  own(`${business}/test/people/invitations/${unknown}/cancel`),
  own(`${business}/test/people/${unknown}/role`, { role: ['owner', 'king'] }),
  own(`${business}/test/people/${unknown}/remove`),
  own(`${business}/test/payments/~intent~`, once),
  own(`${business}/test/payments/~intent~/refund`, {
    ...once,
    refundable: ['50000', '1', '-1', '1e3', ''],
    amount: ['500', '5,00', '1,500', '-1', ''],
    reason: ['', 'x'],
  }),
  ...words(`
    payments?q,status,from,to,paidFrom,paidTo,refundedFrom,refundedTo,minAmount,maxAmount,merchantReference,page
    payments/export?kind,file,from,to payments/~intent~?refund payments/~intent~/refund money?month
    money/entries?type,from,to,page money/refunds?from,to,page money/statements/file?month,delimiter
    money/statements/2026-11-01 money/statements/2026-11-01/file?delimiter
  `).map((path) => page('person', `/portal/${business}/test/${path}`)),
  ...pagesOf(
    'person',
    `
    /till/${business}/test/day?day,of,page /till/${business}/test/payments/~intent~?earlier
    /till/${business}/test/payments/~intent~/state /till/${business}/test?form
    `,
  ),
  form('person', `/till/${business}/test`, {
    csrf,
    form: [unknown, '', 'x'],
    once: ['~form~', ''],
    amount: ['5', '5,50', '1e9', '-1', '1,500', ''],
    label: ['', 'x', '<b>'],
  }),
  form('person', `/till/${business}/test/payments/~intent~/cancel`, { csrf }),
]

export const pages: readonly Target[] = [
  ...pagesOf(
    'customer',
    `
    /?lang,code /sandbox/~business~?lang /p/~short~?lang,amount,proof,sent /p/~short~/status
    /p/~short~/qr?lang,proof /p/~short~/qr.svg?proof /p/~short~/qr.png?proof /admin/sign-in?to
    /admin/sign-in/code?to /docs/clients/inbox.py
    /docs/clients/payments.postman_collection.json /docs /docs/api /docs/quickstart
    /docs/webhook-signatures.json /docs/nothing /api/v1/openapi.json /.well-known/security.txt /healthz /readyz /metrics
    /admin/nothing.css /pay/nothing.css /api/v1/dev/nothing /api/v2/dev/intents /.env
    `,
  ),
  ...pagesOf(
    'staff',
    `
    /admin/account?done /admin/account/second-factor /admin /admin/search /admin/dead?from,to
    /admin/audit?actor,act,subject,business,before,from,to /admin/payments/~intent~?after
    /admin/orders/~orderNumber~ /admin/deliveries/~delivery~ /admin/endpoints/~endpoint~?status
    /admin/businesses?name,state,after /admin/businesses/~business~?done /admin/businesses/~business~/suspend
    /admin/keys/~business~ /admin/staff?after /admin/endpoints/~endpoint~/requeue-all?from,to
    /admin/endpoints/~endpoint~/replay?event,deliveries,from,to /admin/queues
    /admin/queues/api/queues?activeQueue,status,page,jobsPerPage
    /admin/queues/api/queues/webhook-delivery/~delivery~-r0 /admin/queues/api/redis/stats
    `,
  ),
  ...pagesOf(
    'staff',
    `
    /admin/queues/api/queues/webhook-delivery/~delivery~-r0/retry
    /admin/queues/api/queues/webhook-delivery/retry/failed /admin/queues/api/queues/outbox-relay/pause
    `,
  ).map((target) => ({ ...target, name: target.name.replace('GET', 'PUT'), method: 'PUT' })),
  form('customer', '/', { code: ['~code~', '123456', '', '12 34 56'], lang: ['en', 'fr', 'ar'] }),
  form('customer', '/sandbox/~business~', { code: ['~code~', '654321', ''] }),
  form('customer', '/p/~short~', {
    form: ['~form~', '', 'forged'],
    phone: ['~phone~', '22000001', '22000003', '22000006', '+222 22 00 00 01', 'x'],
    pin: ['~pin~', '1234', '0000', '', '12345678901234567890'],
    amount: ['500', '0', '-1', '1e9', '5,00', ''],
    lang: ['en', 'fr', 'ar', 'xx'],
  }),
  form('customer', '/admin/sign-in', {
    name: ['~staff~', 'nobody', ''],
    password: ['~password~', 'wrong', ''],
    to: words('/admin //evil.example https://evil.example/ /\\evil.example /admin/../..//evil.example'),
  }),
  form('customer', '/admin/sign-in/code', { code: secondCodes, csrf, to: ['/admin'] }),
  page('customer', `/admin/set-password/${'A'.repeat(43)}`),
  form('customer', '/admin/set-password', {
    token: ['', 'A'.repeat(43)],
    password: ['~password~', 'wrong', ''],
    again: ['~password~', ''],
  }),
  act('account/second-factor', { sealed: ['', 'forged'], code: ['123456'], current: [''] }),
  act('account/recovery-codes', { code: ['123456', ''] }),
  act('account/password', { old: ['wrong', ''], password: ['~password~'], again: ['~password~'] }),
  act('account/sessions/aaaaaaaaaaaaaaaaaaaaaaaa/end'),
  act('account/end-other-sessions'),
  act('sign-out', { csrf: ['', 'forged'] }),
  act('search', { q: ['+222 22-00-00-01', ...searched] }),
  act('search/amount', {
    business: ['~business~', 'shop', '.*', ''],
    amount: ['500', '5,00', '1e9', '-1', ''],
    day: ['2026-01-31', '2026-02-30', ''],
  }),
  act('businesses/~business~/suspend', { reason: ['', 'x'] }),
  act('deliveries/~delivery~/requeue'),
  act('endpoints/~endpoint~/requeue-all', period),
  act('endpoints/~endpoint~/replay', { ...period, event: replayed, deliveries: ['all', 'undelivered'] }),
  act('endpoints/~endpoint~/replays/~replay~/cancel'),
  ...pagesOf(
    'person',
    `
    /portal /portal/account?done /portal/account/second-factor /portal/confirm?to /till /till/~mine~/test
    /till/~mine~/live /till/~business~/test /portal/~mine~/test /portal/~business~/test /portal/~mine~/live
    /portal/~mine~/test/keys?after /portal/~mine~/test/people /portal/~mine~/test/limits
    /portal/~mine~/test/activity?before /portal/~business~/test/activity?before
    /portal/sign-in?to /portal/sign-in/code?to /portal/nothing.css
  `,
  ),
  page('person', `/portal/invitation/${'A'.repeat(43)}`),
  page('person', `/portal/set-password/${'A'.repeat(43)}`),
  form('person', '/portal/sign-in', {
    name: ['~staff~', 'nobody@shop.example', '22000001', ''],
    password: ['~password~', 'wrong', ''],
    to: words(
      '/portal /till/x //evil.example https://evil.example/ /\\evil.example /portal/../..//evil.example',
    ),
  }),
  form('person', '/portal/sign-in/code', { code: secondCodes, csrf, to: ['/portal'] }),
  form('person', '/portal/set-password', {
    token: ['', 'A'.repeat(43)],
    password: ['~password~', ''],
    again: ['~password~', ''],
  }),
  own('invitation', { token: ['', 'A'.repeat(43)], password: ['~password~'], again: ['~password~'] }),
  own('confirm', { code: secondCodes, password: ['wrong', ''], to: ['/portal', '//evil.example'] }),
  own('account/second-factor', { sealed: ['', 'forged'], code: ['123456'], current: [''] }),
  own('account/recovery-codes', { code: ['123456', ''] }),
  own('account/password', { old: ['wrong', ''], password: ['~password~'], again: ['~password~'] }),
  own('account/sessions/aaaaaaaaaaaaaaaaaaaaaaaa/end'),
  own('sign-out', { csrf: ['', 'forged'] }),
  ...['~mine~', '~business~'].flatMap((business) => inBusiness(business)),
  ...pagesOf('customer', '/docs/packages/ /docs/packages/payment-intents-mru-client-0.0.0.tgz'),
  ...readPackages().flatMap(({ path }) => [page('customer', path), page('customer', `${path}.sha256`)]),
]
