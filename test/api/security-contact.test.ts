import { withService } from '../support/service.ts'
import { expectRefused } from './refused.ts'

const path = '/.well-known/security.txt'

describe("The operator's contacts", () => {
  const silent = withService()
  const contacts = {
    SECURITY_CONTACT: 'mailto:security@pay.example, https://pay.example/report?from=api',
    SUPPORT_CONTACT: 'https://pay.example/help,mailto:help+api@pay.example,mailto:other@pay.example',
  }
  const service = withService({ ...contacts, PUBLIC_URL: 'https://api.pay.example' })

  it('are published in security.txt, which expires within a year', async () => {
    service.clock.freeze(new Date('2026-12-02T13:14:15.678Z'))
    const { text, headers } = await service.http.get(path).expect(200)
    service.clock.freeze(null)
    expect(text.split('\n')).to.deep.equal([
      'Contact: mailto:security@pay.example',
      'Contact: https://pay.example/report?from=api',
      'Expires: 2027-05-31T00:00:00Z',
      'Preferred-Languages: fr, ar, en',
      'Canonical: https://api.pay.example/.well-known/security.txt',
      '',
    ])
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8')
    expect((await service.http.head(path).expect(200)).headers['content-length']).to.equal(
      String(text.length),
    )
    await expectRefused(service.http.post(path).expect('Allow', 'GET, HEAD'), 404, 'ENDPOINT_NOT_FOUND')
  })

  it('appear in the API description: the first e-mail address and the first URL', async () => {
    const contactOf = async ({ http }: typeof service) =>
      (await http.get('/api/v1/openapi.json').expect(200)).body.info.contact
    expect(await contactOf(service)).to.deep.equal({
      url: 'https://pay.example/help',
      email: 'help+api@pay.example',
    })
    expect(await contactOf(silent)).to.equal(undefined)
  })

  it('are 404 while none is configured', () =>
    expectRefused(silent.http.get(path), 404, 'ENDPOINT_NOT_FOUND'))
})
