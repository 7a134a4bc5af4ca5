/** Without this script, all languages are shown below each other. */
;(() => {
  const isFrench = document.documentElement.lang === 'fr'
  const [copy, copied, languages] = isFrench ? ['Copier', 'Copié', 'Langage'] : ['Copy', 'Copied', 'Language']
  const groups = [...document.querySelectorAll('.variants')]
  const figuresOf = (group) => [...group.querySelectorAll('figure')]

  for (const group of groups) {
    const choices = document.createElement('div')
    choices.className = 'choices'
    choices.setAttribute('role', 'group')
    choices.setAttribute('aria-label', languages)
    for (const figure of figuresOf(group)) {
      const choice = addButton(choices, figure.querySelector('span').textContent)
      choice.value = figure.dataset.language
      choice.addEventListener('click', () => {
        const before = choice.getBoundingClientRect().top
        show(choice.value)
        scrollBy(0, choice.getBoundingClientRect().top - before)
        remember(choice.value)
      })
    }
    group.prepend(choices)
  }
  // Browsers offer no clipboard to a page loaded over plain http.
  if (navigator.clipboard)
    for (const figure of document.querySelectorAll('figure:has(figcaption)')) {
      const button = addButton(figure.querySelector('figcaption'), copy)
      button.addEventListener('click', async () => {
        await navigator.clipboard.writeText(figure.querySelector('pre').textContent)
        button.textContent = copied
        setTimeout(() => (button.textContent = copy), 2000)
      })
    }
  show(remembered())
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()

  function addButton(parent, text) {
    const button = parent.appendChild(document.createElement('button'))
    button.type = 'button'
    button.textContent = text
    return button
  }

  function show(language) {
    for (const group of groups) {
      const figures = figuresOf(group)
      const chosen = figures.find((figure) => figure.dataset.language === language) ?? figures[0]
      for (const figure of figures) figure.hidden = figure !== chosen
      for (const choice of group.querySelectorAll('.choices button'))
        choice.setAttribute('aria-pressed', choice.value === chosen.dataset.language)
    }
  }

  // Storage throws if the browser blocks it.
  function remember(language) {
    try {
      localStorage.setItem('language', language)
    } catch {}
  }

  function remembered() {
    try {
      return localStorage.getItem('language')
    } catch {
      return null
    }
  }
})()
