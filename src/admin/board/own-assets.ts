import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { Router } from 'express'
import { ownWords, withOwnWords } from './look.ts'
import { ownStyle } from './own-style.ts'

const statics = join(
  dirname(createRequire(import.meta.url).resolve('@bull-board/ui/package.json')),
  'dist/static',
)

/** What of Bull Board's assets is ours: a stylesheet beside its own, and some words in its languages. */
export function ownAssets(): Router {
  const router = Router({ strict: true, caseSensitive: true })
  const languages = new Map(
    readdirSync(join(statics, 'locales')).map((language) => [language, wordsIn(language)]),
  )
  router.get('/static/own.css', (_req, res) => void res.type('css').send(ownStyle))
  router.get('/static/locales/:language/messages.json', (req, res, next) => {
    const words = languages.get(req.params.language)
    if (words === undefined) return next()
    res.type('json').send(words)
  })
  router.get(/^\/static\/(?:js|css)\//, (_req, res, next) => {
    // Their names change with their content.
    res.setHeader('Cache-Control', 'private, max-age=31536000, immutable')
    next()
  })
  return router
}

const wordsIn = (language: string): string =>
  JSON.stringify(
    withOwnWords(
      JSON.parse(readFileSync(join(statics, 'locales', language, 'messages.json'), 'utf8')),
      ownWords,
    ),
  )
