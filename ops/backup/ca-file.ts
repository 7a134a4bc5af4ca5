import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readCertificates } from '../../src/config/formats.ts'

/**
 * MongoDB's tools accept the certificates of MONGODB_TLS_CA only as a file, which the URL names. The file is removed at
 * the end.
 */
export async function withCaFile<Result>(
  mongodbUrl: string,
  ca: string | undefined,
  use: (mongodbUrl: string) => Promise<Result>,
): Promise<Result> {
  if (!ca) return use(mongodbUrl)
  const certificates = readCertificates(ca)
  if (certificates === null) throw new Error('MONGODB_TLS_CA contains no valid certificate')
  const folder = await mkdtemp(join(tmpdir(), 'payment-intents-ca-'))
  const file = join(folder, 'ca.pem')
  try {
    await writeFile(file, `${certificates}\n`, { mode: 0o600 })
    const [before, query = ''] = mongodbUrl.split('?')
    return await use(`${before}?${query === '' ? '' : `${query}&`}tlsCAFile=${encodeURIComponent(file)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
