import { hash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { unpackTar } from 'modern-tar'
import supertest from 'supertest'
import { packages } from '../../clients/release/packages.ts'
import { findReleaseFaults, release } from '../../clients/release/release.ts'
import { createBareApp, refuseUnknownUrl } from '../../src/http/server/bare-app.ts'
import { packagesRouter } from '../../src/reference/packages.ts'
import { temporaryFolder } from '../support/built.ts'
import { withService } from '../support/service.ts'

const textOf = (bytes: Uint8Array, file: string): string =>
  (file.endsWith('.tgz') ? gunzipSync(bytes) : Buffer.from(bytes)).toString('latin1')

describe('The clients that merchants install', () => {
  const built = new Map<string, Uint8Array>()
  before(async () => {
    for (const { file, build } of packages) built.set(file, await build())
  })

  for (const { file, build } of packages) {
    it(`are the same bytes whenever and wherever they are built: ${file}`, async () => {
      const again = await build()
      expect(Buffer.compare(again, built.get(file) ?? Buffer.of())).to.equal(0)
      expect(textOf(again, file)).to.not.include(process.cwd()).and.not.include(tmpdir())
    })

    it(`contain no address and no header name of a service: ${file}`, () => {
      expect(textOf(built.get(file) ?? Buffer.of(), file))
        .to.not.match(/x-service-/i)
        .and.not.include('payments.example')
    })
  }

  it('have no dependencies and run nothing when npm installs them', async () => {
    for (const [file, bytes] of built) {
      if (!file.endsWith('.tgz')) continue
      const entries = await unpackTar(gunzipSync(bytes))
      const names = entries.map(({ header }) => header.name)
      expect(names).to.include.members(['package/README.md', 'package/LICENSE'])
      const manifest = entries.find(({ header }) => header.name === 'package/package.json')
      const { scripts, dependencies, peerDependencies } = JSON.parse(
        String(Buffer.from(manifest?.data ?? [])),
      )
      expect([scripts, dependencies, peerDependencies]).to.deep.equal([undefined, undefined, undefined])
    }
  })
})

describe('A released package', () => {
  let folder = ''
  beforeEach(() => {
    folder = temporaryFolder()
    writeFileSync(join(folder, 'SHA256SUMS'), '')
  })
  const listOf = (content: string, version = '1.0.0') => [
    { file: `client-${version}.tgz`, build: async () => Buffer.from(content) },
  ]

  it('still has the bytes of its release, and so do the sources of its version', async () => {
    expect((await findReleaseFaults()).join('\n')).to.equal('')
  })

  it('cannot be released again with other content', async () => {
    await release(folder, listOf('one'))
    await release(folder, listOf('one'))
    const error = await release(folder, listOf('two')).catch((thrown: unknown) => thrown)
    expect(String(error)).to.include('Raise the version in clients/version.json')
    expect(readFileSync(join(folder, 'client-1.0.0.tgz'), 'utf8')).to.equal('one')
    await release(folder, listOf('two', '1.1.0'))
    expect(await findReleaseFaults(folder, listOf('two', '1.1.0'))).to.deep.equal([])
  })

  it('is found to be wrong if it, its sources or the list of checksums has changed', async () => {
    await release(folder, listOf('one'))
    expect(await findReleaseFaults(folder, listOf('two'))).to.deep.equal([
      'client-1.0.0.tgz would now be built differently than for its release. Raise the version in clients/version.json',
    ])
    writeFileSync(join(folder, 'client-1.0.0.tgz'), 'other')
    writeFileSync(join(folder, 'client-0.9.0.tgz'), 'unlisted')
    expect(await findReleaseFaults(folder, listOf('one'))).to.deep.equal([
      'client-0.9.0.tgz is not in SHA256SUMS',
      'client-1.0.0.tgz has changed since its release. Restore it',
    ])
    rmSync(join(folder, 'client-1.0.0.tgz'))
    expect(await findReleaseFaults(folder, [])).to.have.length(2)
  })
})

describe('The download of a package', () => {
  const service = withService()
  const file = 'payment-intents-mru-client-1.0.0.tgz'
  const content = Buffer.from('content')
  const sha256 = hash('sha256', content, 'hex')
  const path = `/docs/packages/${file}`
  const served = (isReleased: boolean) =>
    supertest(
      createBareApp(service.deps, (app) => {
        app.use(packagesRouter(service.deps, [{ path, file, version: '1.0.0', sha256, content, isReleased }]))
        app.use(refuseUnknownUrl)
      }),
    )

  it('may be cached forever, and comes with its SHA-256', async () => {
    const headers = { 'cache-control': 'public, max-age=31536000, immutable', etag: `"${sha256}"` }
    const response = await served(true).get(path)
    expect(response.headers).to.include({ ...headers, 'content-type': 'application/gzip' })
    expect(response.body).to.deep.equal(content)
    const sum = await served(true).get(`${path}.sha256`)
    expect(sum.headers).to.include({ ...headers, 'content-type': 'text/plain; charset=utf-8' })
    expect(sum.text).to.equal(`${sha256}  ${file}\n`)
    expect((await served(true).get(path).set('If-None-Match', `"${sha256}"`)).status).to.equal(304)
    expect((await served(true).head(path)).status).to.equal(200)
  })

  it('is not cached before the release', async () => {
    expect((await served(false).get(path)).headers).to.include({ 'cache-control': 'no-cache' })
  })

  it('returns 404 for another version or method', async () => {
    const missing = await service.http.get('/docs/packages/payment-intents-mru-client-0.0.1.tgz')
    expect([missing.status, missing.body.error.code]).to.deep.equal([404, 'ENDPOINT_NOT_FOUND'])
    const posted = await served(true).post(path)
    expect([posted.status, posted.headers.allow]).to.deep.equal([404, 'GET, HEAD'])
  })
})
