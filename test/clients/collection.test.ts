import { apiBasePath } from '../../src/app.ts'
import { description } from '../support/check-responses.ts'
import { withService } from '../support/service.ts'

type Collection = { variable: { key: string; value: string }[]; item: { item: { name: string }[] }[] }

/** `commands/postman` runs it. */
describe('The Postman collection', () => {
  const service = withService({ PUBLIC_URL: 'https://pay.example' })

  it('contains every operation and the public URL', async () => {
    const { body } = await service.http.get('/docs/clients/payments.postman_collection.json').expect(200)
    const { variable, item } = body as Collection
    expect(variable[0]).to.deep.equal({ key: 'base_url', value: `https://pay.example${apiBasePath}` })
    const operations = Object.values(description.paths as object).flatMap((path) =>
      Object.values<{ summary: string }>(path),
    )
    const names = item.flatMap((folder) => folder.item.map(({ name }) => name))
    expect(names).to.include.members(operations.map(({ summary }) => summary))
  })
})
