import { execFileSync } from 'node:child_process'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '../support/built.ts'

type Component = { name: string; version: string; hashes: readonly { alg: string }[] }
const root = join(import.meta.dirname, '../..')
const files = ['package.json', 'package-lock.json', 'dev/write-sbom.mjs', 'dev/setup/run.mjs']
const packages: Record<string, { dev?: boolean }> = JSON.parse(
  readFileSync(join(root, 'package-lock.json'), 'utf8'),
).packages

describe('npm run sbom', () => {
  it('lists exactly the production packages, with their digests, in CycloneDX format', () => {
    const copy = temporaryFolder()
    for (const file of files) cpSync(join(root, file), join(copy, file))
    execFileSync(process.execPath, [join(copy, 'dev/write-sbom.mjs')])
    const bom = JSON.parse(readFileSync(join(copy, 'dist/sbom.cdx.json'), 'utf8'))
    expect(bom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.5' })
    expect(bom.metadata.component).to.include({ name: 'payment-intents', type: 'application' })
    const components: Component[] = bom.components
    const listed = new Set(components.map(({ name }) => name))
    const inProduction = Object.keys(packages)
      .filter((path) => path !== '' && packages[path]?.dev !== true)
      .map((path) => path.replace(/^.*node_modules\//, ''))
    expect([...listed]).to.have.members([...new Set(inProduction)])
    for (const name of ['mocha', 'playwright-core']) expect(listed).not.to.include(name)
    for (const { name, hashes } of components) expect(hashes?.[0]?.alg, name).to.equal('SHA-512')
  })
})
