// `npm run sbom`: writes dist/sbom.cdx.json, a CycloneDX list of all production packages with their versions, licences
// and digests. `npm run build` includes it. `npm sbom --omit dev` would leave out packages that a development package
// also uses, so npm reads a lock file without the development packages.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { npm } from './setup/run.mjs'

const root = join(import.meta.dirname, '..')
const read = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'))
const { devDependencies: _, ...manifest } = read('package.json')
const { packages, ...lock } = read('package-lock.json')
const inProduction = Object.entries(packages).filter(([path, { dev }]) => path !== '' && dev !== true)
const production = { ...lock, packages: { '': manifest, ...Object.fromEntries(inProduction) } }

const folder = mkdtempSync(join(tmpdir(), 'sbom-'))
try {
  // npm names the service after its folder.
  const cwd = join(folder, manifest.name)
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
  writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify(production))
  const options = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only']
  const [command, ...args] = npm(process.execPath, 'sbom', ...options)
  const sbom = execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 2 ** 26 })
  mkdirSync(join(root, 'dist'), { recursive: true })
  writeFileSync(join(root, 'dist/sbom.cdx.json'), sbom)
} finally {
  rmSync(folder, { recursive: true })
}
