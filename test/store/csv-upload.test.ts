import { once } from 'node:events'
import { connect } from 'node:net'
import { crlf, sendRaw } from '../api/raw-request.ts'
import { expectRefused } from '../api/refused.ts'
import { withServiceAndMerchant } from '../support/service.ts'

const path = '/api/v1/dev/store/products/import-csv'
const csv = 'handle,name,price\ntea,"Thé, vert",1250\n'
const largest = 8 * 1024 * 1024

const part = (name: string, content: string, more = ''): string =>
  crlf('--edge', `Content-Disposition: form-data; name="${name}"${more}`, '', content, '')
const form = 'multipart/form-data; boundary=edge'

describe('A CSV upload', () => {
  const { service, merchant } = withServiceAndMerchant()

  const post = (body: string | Buffer, type: string, headers = merchant.write()) =>
    service.http.post(path).set(headers).type(type).send(body)
  const postForm = (parts: string, headers = merchant.write()) => post(`${parts}--edge--\r\n`, form, headers)
  const json = (value: unknown) => post(JSON.stringify(value), 'application/json')
  const refusedFor = async (request: ReturnType<typeof post>, param: string) => {
    await expectRefused(request, 400, 'VALIDATION_ERROR')
    expect((await request).body.error.param).to.equal(param)
  }

  it('has the same result whether it is a file, a form or JSON', async () => {
    const file = part('file', csv, '; filename="é.csv"\r\nContent-Type: text/csv')
    const responses = [
      await post(csv, 'text/csv; header=present'),
      await post(`\uFEFF${csv.replaceAll(/,(?! )/g, ';')}`, 'Text/CSV; charset="UTF-8"'),
      await postForm(file),
      await postForm(part('file', csv)),
      await json({ csv }),
    ]
    const counts = responses.map(({ body: { data } }) => [data?.created, data?.unchanged, data?.rows])
    expect(counts).to.deep.equal([[1, 0, 1], ...Array.from({ length: 4 }, () => [0, 1, 1])])
  })

  it('is compared with the first upload by its file content if the idempotency key is reused', async () => {
    const headers = merchant.write()
    const parts = part('file', csv, '; filename="a.csv"')
    const first = await postForm(parts, headers)
    const otherForm = `${parts}--edge--`.replaceAll('edge', 'seam')
    const again = await post(otherForm, 'multipart/form-data; boundary=seam', headers)
    expect(again.body).to.deep.equal(first.body)
    expect(again.headers)
      .to.include({ 'idempotent-replayed': 'true' })
      .and.not.have.property('idempotent-params-mismatch')
    const other = await post(`${csv}salt,Sel,1\n`, 'text/csv', headers)
    expect(other.body).to.deep.equal(first.body)
    expect(other.headers).to.include({ 'idempotent-params-mismatch': 'true' })
  })

  it('is rejected if it has no file, and the stored response names the field', async () => {
    for (const value of [{}, { csv: null }, { csv: 5 }, { csv: ['handle'] }, [], null, 'handle'])
      await refusedFor(json(value), 'csv')
    await refusedFor(post('', 'text/csv'), 'csv')
    await refusedFor(post('', 'application/json'), 'csv')
    const headers = merchant.write()
    await refusedFor(post('{}', 'application/json', headers), 'csv')
    const again = await post(JSON.stringify({ csv }), 'application/json', headers)
    expect(again.headers).to.include({ 'idempotent-replayed': 'true', 'idempotent-params-mismatch': 'true' })
  })

  it('is rejected if it has an unsupported media type or charset, or is compressed', async () => {
    const types = ['text/plain', 'application/vnd.ms-excel', 'application/octet-stream']
    for (const type of [...types, 'text/csv; charset=windows-1252', 'application/json; charset=latin1'])
      await expectRefused(post(csv, type), 415, 'UNSUPPORTED_MEDIA_TYPE')
    const zipped = { ...merchant.write(), 'Content-Encoding': 'gzip' }
    await expectRefused(post(csv, 'text/csv', zipped), 415, 'UNSUPPORTED_MEDIA_TYPE')
    expect((await post(csv, 'text/csv', zipped)).body.error.message).to.match(/^Send the file uncompressed/)
    await expectRefused(post('{"csv": ', 'application/json'), 400, 'INVALID_JSON')
  })

  it('needs exactly one file in a form, and can be repeated with the same key if the form was incomplete', async () => {
    for (const parts of [
      '',
      part('csv', csv),
      part('File', csv),
      part('file', csv).repeat(2),
      part('a', 'x').repeat(101) + part('file', csv),
    ])
      await refusedFor(postForm(parts), 'file')
    await refusedFor(post(csv, 'multipart/form-data'), 'file')
    await refusedFor(post(csv, form), 'file')
    await refusedFor(post('', form), 'file')
    const headers = merchant.write()
    const whole = `${part('file', csv, '; filename="a.csv"')}--edge--`
    for (let length = 0; length < whole.length - 2; length += 17)
      await refusedFor(post(whole.slice(0, length), form, headers), 'file')
    expect((await post(whole, form, headers).expect(200)).headers).to.not.have.property('idempotent-replayed')
  })

  it('may be up to 8 MiB, and a body with a larger Content-Length is not read', async () => {
    const padded = csv.padEnd(largest - 1, '\n')
    await post(padded, 'text/csv').expect(200)
    const head = (more: string) =>
      crlf(
        `POST ${path} HTTP/1.1`,
        'Host: a',
        'Content-Type: text/csv',
        `Authorization: Bearer ${merchant.key}`,
        'X-Idempotency-Key: large',
        more,
        '',
        '',
      )
    const [response] = await sendRaw(service.origin, head(`Content-Length: ${largest + 1}`))
    expect([response?.status, response?.body.includes('PAYLOAD_TOO_LARGE')]).to.deep.equal([413, true])
    const chunk = `${(largest + 1).toString(16)}\r\n${padded}\n\r\n0\r\n\r\n`
    const chunkedHead = head('Transfer-Encoding: chunked\r\nConnection: close')
    const [chunked] = await sendRaw(service.origin, chunkedHead, chunk)
    expect(chunked?.status).to.equal(413)
    await post(csv, 'text/csv', { ...merchant.write(), 'X-Idempotency-Key': 'large' }).expect(200)
  })

  it('may be up to 2 MiB as JSON', async () => {
    const filled = (bytes: number) => JSON.stringify({ csv }) + ' '.repeat(bytes)
    const most = 2 * 1024 * 1024 - Buffer.byteLength(filled(0))
    await post(filled(most), 'application/json').expect(200)
    await expectRefused(post(filled(most + 1), 'application/json'), 413, 'PAYLOAD_TOO_LARGE')
  })

  it('leaves no stored response if its body is incomplete', async () => {
    const headers = merchant.write()
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1')
    const head = [`POST ${path} HTTP/1.1`, 'Host: a', 'Content-Type: text/csv', 'Content-Length: 100']
    socket.end(crlf(...head, ...lines, '', csv.slice(0, 5)))
    await once(socket.resume(), 'close')
    const response = await post(csv, 'text/csv', headers).expect(200)
    expect(response.headers).to.not.have.property('idempotent-replayed')
  })
})
