import { runInNewContext } from 'node:vm'
import { expect } from 'chai'
import { apiBasePath } from '../../src/app.ts'
import { description } from '../support/check-responses.ts'
import { type Merchant, withMerchant, withService } from '../support/service.ts'

type Named = { key: string; value: string; disabled?: boolean }
interface Item {
  name: string
  event?: { script: { exec: string[] } }[]
  request: {
    method: string
    header: Named[]
    url: { raw: string; variable?: Named[] }
    body?: { raw: string }
  }
}
type Collection = { variable: Named[]; item: { name: string; item: Item[] }[] }

/** These codes mean that the collection contains a wrong request. */
const wrong =
  /^(VALIDATION_ERROR|INVALID_.*|MISSING_.*|UNSUPPORTED_MEDIA_TYPE|IDEMPOTENCY_.*|PAYLOAD_TOO_LARGE|ENDPOINT_NOT_FOUND|.*_ERROR)$/

describe('The Postman collection', () => {
  const service = withService({ PUBLIC_URL: 'https://pay.example' })
  const merchant: Merchant = withMerchant(service)
  let collection: Collection
  const variables = new Map<string, string>()

  before(async () => {
    const response = await service.http.get('/docs/clients/payments.postman_collection.json')
    expect(response.status).to.equal(200)
    collection = response.body as Collection
    for (const { key, value } of collection.variable) variables.set(key, value)
  })

  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
      name === '$guid' ? crypto.randomUUID() : (variables.get(name) ?? expect.fail(`no variable ${name}`)),
    )

  async function send({ event, request }: Item): Promise<{ status: number; code: string }> {
    const { method, url, header, body } = request
    const raw = (url.variable ?? []).reduce((text, { key, value }) => text.replace(`:${key}`, value), url.raw)
    const headers = header.map(({ key, value }) => [key, fill(value)] as [string, string])
    const response = await fetch(fill(raw), {
      method,
      headers: [...headers, ['Authorization', `Bearer ${merchant.key}`]],
      ...(body === undefined ? {} : { body: fill(body.raw) }),
    })
    const text = await response.text()
    const pm = {
      response: { code: response.status, json: () => JSON.parse(text) },
      collectionVariables: { set: (name: string, value: string) => variables.set(name, value) },
    }
    for (const { script } of event ?? []) runInNewContext(script.exec.join('\n'), { pm })
    const { error } = response.ok ? { error: { code: '' } } : JSON.parse(text)
    return { status: response.status, code: error.code }
  }

  it('contains every operation and the public URL', () => {
    expect(variables.get('base_url')).to.equal(`https://pay.example${apiBasePath}`)
    const operations = Object.values(description.paths as object).flatMap((path) => Object.keys(path))
    expect(collection.item.flatMap(({ item }) => item)).to.have.length(operations.length)
  })

  it('contains requests that the service accepts', async () => {
    variables.set('base_url', `${service.origin}${apiBasePath}`)
    const items = collection.item.flatMap(({ item }) => item)
    const isDeleting = ({ request }: Item) => request.method === 'DELETE'
    const succeeded = new Set<string>()
    for (const item of [...items.filter((each) => !isDeleting(each)), ...items.filter(isDeleting)]) {
      const { status, code } = await send(item)
      expect(code, item.name).to.not.match(wrong)
      if (status < 300) succeeded.add(item.name)
    }
    const intents = ['Create a payment intent', 'Retrieve a payment intent']
    const endpoints = ['Create a webhook endpoint', 'Delete a webhook endpoint']
    const orders = ['Simulate an order', 'Retrieve an order']
    expect([...succeeded]).to.include.members([...intents, ...endpoints, ...orders])
  })
})
