import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { accept, breakingChanges, type Description, problemsIn } from '../../dev/compatibility.ts'
import { openapi } from '../../dev/openapi-document.ts'
import { temporaryFolder } from '../support/built.ts'

type Part = Record<string, unknown>
type Change = (copy: Description) => void
const pick = <T>(from: Record<string, T>, names: string[]): Record<string, T> =>
  Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
const whole = openapi as unknown as Description
const intents = '/dev/intents'
/** Only a part of the real description, because comparing all of it takes longer. */
const api: Description = {
  ...whole,
  paths: pick(whole.paths, [
    intents,
    '/dev/intents/{referenceNumber}/simulate-payment',
    '/dev/webhooks/endpoints',
  ]),
  webhooks: pick(whole.webhooks, ['payment.created', 'order.new']),
}

const changed = (...changes: Change[]): Description => {
  const copy = structuredClone(api)
  for (const change of changes) change(copy)
  return copy
}

const at = (copy: object, ...path: (string | number)[]): Part =>
  path.reduce((part, key) => part[key] as Part, copy as Part)
const listAt = (copy: object, ...path: (string | number)[]) => at(copy, ...path) as unknown as unknown[]
const schema = (copy: Description, name: string): Part => at(copy, 'components', 'schemas', name)
const field = (copy: Description, name: string, of: string): Part => at(schema(copy, of), 'properties', name)
const makeOptional = (copy: Description, name: string, of: string): void => {
  schema(copy, of).required = listAt(schema(copy, of), 'required').filter((each) => each !== name)
}
const removeField = (copy: Description, name: string, of: string): void => {
  makeOptional(copy, name, of)
  delete at(schema(copy, of), 'properties')[name]
}
const addField = (copy: Description, name: string, of: string): void => {
  at(schema(copy, of), 'properties')[name] = { type: 'string' }
}
const addParameter = (copy: Description, required: boolean): void => {
  const shop = { name: 'shop', in: 'query', required, schema: { type: 'string' } }
  listAt(copy, 'paths', intents, 'get', 'parameters').push(shop)
}

const changes: Record<string, Change> = {
  'POST /dev/intents: [Removed] Response 201': (copy) => {
    const responses = at(copy, 'paths', intents, 'post', 'responses')
    responses[200] = responses[201]
    delete responses[201]
  },
  'POST /dev/webhooks/endpoints: [Removed] property `secret`': (copy) =>
    removeField(copy, 'secret', 'WebhookEndpointWithSecret'),
  'GET /dev/intents: [Removed] property `paidAt` from `data.items[].payment`': (copy) =>
    removeField(copy, 'paidAt', 'Payment'),
  'POST /dev/webhooks/endpoints: [Removed] required status from `data.url`': (copy) =>
    makeOptional(copy, 'url', 'WebhookEndpointWithSecret'),
  'POST /dev/webhooks/endpoints: [Replaced] type definition of `data.active`': (copy) =>
    void (field(copy, 'active', 'WebhookEndpointWithSecret').type = ['boolean', 'null']),
  'POST /dev/intents: [Removed] property `success_url` in Request Body': (copy) => {
    delete at(schema(copy, 'CreateIntentBody'), 'properties').success_url
  },
  'POST /dev/intents: [Added] property `shop` in Request Body': (copy) => {
    addField(copy, 'shop', 'CreateIntentBody')
    schema(copy, 'CreateIntentBody').required = ['shop']
  },
  'POST /dev/intents: [Replaced] maxLength validator of `label`': (copy) =>
    void (field(copy, 'label', 'CreateIntentBody').maxLength = 5),
  'POST /dev/intents: [Added] schema for additional properties': (copy) =>
    void (schema(copy, 'CreateIntentBody').additionalProperties = false),
  'POST /dev/intents: [Replaced] type definition of `label`': (copy) =>
    void (field(copy, 'label', 'CreateIntentBody').type = 'string'),
  'simulate-payment: [Replaced] possible values of `outcome`': (copy) =>
    listAt(field(copy, 'outcome', 'SimulatePaymentBody'), 'enum').pop(),
  'query parameter `status`': (copy) => listAt(copy, 'paths', intents, 'get', 'parameters').shift(),
  'GET /dev/intents: [Added] required query parameter `shop`': (copy) => addParameter(copy, true),
  'POST /dev/intents: [remove] responses.400.examples.INVALID_METADATA': (copy) => {
    const refused = at(copy, 'paths', intents, 'post', 'responses', 400, 'content', 'application/json')
    delete at(refused, 'examples').INVALID_METADATA
  },
  'POST /dev/intents: [Replaced] some security details': (copy) =>
    void (at(copy, 'paths', intents, 'post').security = [{ apiKey: ['payments.payments:write'] }]),
  'webhook payment.created: [Removed] property `created_at`': (copy) =>
    removeField(copy, 'created_at', 'PaymentCreatedEvent'),
  'webhook order.new: [remove] headers.X-Service-Signature': (copy) =>
    listAt(copy, 'webhooks', 'order.new', 'post', 'parameters').shift(),
}

const removals: Record<string, Change> = {
  'GET /dev/intents: [Removed] operation': (copy) => delete at(copy, 'paths', intents).get,
  'webhook order.new: [Removed] operation order.new': (copy) => delete at(copy, 'webhooks')['order.new'],
}

const compatible: readonly Change[] = [
  (copy) => addParameter(copy, false),
  (copy) => addField(copy, 'shop', 'CreateIntentBody'),
  (copy) => addField(copy, 'shop', 'PaymentCreatedEvent'),
  (copy) => {
    addField(copy, 'shop', 'Intent')
    listAt(schema(copy, 'Intent'), 'required').push('shop')
  },
  (copy) => {
    at(copy, 'paths', intents, 'post', 'responses', 201, 'headers')['X-Shop'] = { schema: { type: 'string' } }
    at(copy, 'paths', intents, 'post', 'requestBody', 'content', 'application/json').example = { amount: 1 }
    field(copy, 'label', 'CreateIntentBody').maxLength = 5_000
    field(copy, 'label', 'CreateIntentBody').type = ['string', 'null', 'integer']
    listAt(field(copy, 'status', 'Intent'), 'enum').push('SHIPPED')
    field(copy, 'events', 'WebhookEndpointWithSecret').maxItems = 99
    field(copy, 'status', 'Intent').description = 'Where the intent stands.'
  },
  (copy) => {
    at(copy, 'paths')['/dev/shops'] = { get: at(copy, 'paths', intents, 'get') }
    at(copy, 'webhooks')['order.shipped'] = at(copy, 'webhooks', 'order.new')
  },
]

describe('Comparing two API descriptions', () => {
  for (const [name, planted] of Object.entries({ changes, removals }))
    it(`detects all ${Object.keys(planted).length} breaking ${name}`, () => {
      const found = breakingChanges(api, changed(...Object.values(planted))).join('\n')
      for (const line of Object.keys(planted)) expect(found).to.include(line)
    })

  it('ignores additions, new values in responses, and reworded descriptions', () =>
    expect(breakingChanges(api, changed(...compatible))).to.deep.equal([]))
})

describe('npm run api:check', () => {
  let root: string
  const changelog = () => readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const write = (text: string) => writeFileSync(join(root, 'CHANGELOG.md'), text)
  const small: Description = {
    ...api,
    paths: { '/intents': { get: {}, post: {} } },
    webhooks: {},
    components: {},
  }
  const withMore = { ...small, paths: { ...small.paths, '/shops': { get: {} } } }
  const withLess = { ...small, paths: { '/intents': { post: {} } } }
  beforeEach(() => {
    root = temporaryFolder()
    mkdirSync(join(root, 'docs'))
    write('# Changelog\n\n## 0.2.0\n\n### Added\n\n- More.\n\n## 0.1.0\n\n### Added\n\n- All.\n')
    expect(accept(root, '', small)).to.deep.equal([])
    expect(problemsIn(root, small)).to.deep.equal([])
  })

  it('fails after an addition until npm run api:accept is run', () => {
    expect(problemsIn(root, withMore).join()).to.include('npm run api:accept')
    expect(accept(root, '', withMore)).to.deep.equal([])
    expect(problemsIn(root, withMore)).to.deep.equal([])
    expect(changelog()).not.to.include('Breaking')
  })

  it('fails after a breaking change until npm run api:accept is run with a changelog entry', () => {
    for (const problems of [problemsIn(root, withLess), accept(root, '', withLess)])
      expect(problems.join('\n')).to.match(/GET \/intents: \[Removed\].*api:accept -- /s)
    expect(accept(root, 'GET /intents is gone.', withLess)).to.deep.equal([])
    expect(problemsIn(root, withLess)).to.deep.equal([])
    expect(changelog()).to.match(
      /## 0\.2\.0\n.*### Breaking changes\n\n- GET \/intents is gone\.\n.*## 0\.1\.0/s,
    )
  })

  it('fails if the stored description was edited by hand', () => {
    const before = changelog()
    writeFileSync(join(root, 'docs/openapi.json'), `${JSON.stringify(withLess, null, 2)}\n`)
    for (const problems of [problemsIn(root, withLess), accept(root, '', withLess)])
      expect(problems.join()).to.include('do not match')
    writeFileSync(join(root, 'docs/openapi.json'), `${JSON.stringify(small, null, 2)}\n`)
    write(before.replace('## 0.2.0', '## 0.3.0\n\n### Added\n\n## 0.2.0'))
    expect(problemsIn(root, small)).to.have.length(1)
    expect(accept(root, '', small)).to.deep.equal([])
    expect(problemsIn(root, small)).to.deep.equal([])
  })
})
