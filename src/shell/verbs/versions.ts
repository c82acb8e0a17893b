import type { Family } from '../verb.ts'

/** Tools of which only the question for their version is a glance, with the exact word that asks. */
const ASKING: Readonly<Record<string, string>> = {
  '--version': `python python2 python3 node npm pnpm yarn bun deno rustc cargo rustup javac ruby gem bundle php composer perl gcc g++
    clang clang++ cc c++ make cmake ninja terraform helm aws gcloud az psql mysql sqlite3 redis-server redis-cli curl wget
    nvim vim code uv uvx pip pip3 pipx poetry conda ruff black mypy flake8 pytest eslint tsc prettier vitest jest biome swift
    brew dotnet mvn gradle ansible ffmpeg pandoc R julia ghc stack zig elixir nvcc claude codex gemini bash zsh fish dash
    sudo ssh-keygen systemd rsync zip gzip xz zstd less nano emacs git-lfs shellcheck golangci-lint ldd
    getconf locale bwrap strace gdb valgrind docker-compose podman mise asdf direnv pre-commit tox nox hatch pdm rye swiftc
    kotlinc scala sbt clojure lein dart flutter ocaml opam nim crystal racket sbcl guile openssl tmux screen java
    playwright cypress webpack vite rollup esbuild turbo nx lerna tsx ts-node swc next astro wrangler vercel netlify heroku
    fly supabase firebase eas expo pulumi packer vagrant minikube kind k3s k9s skaffold kustomize istioctl argocd flux`,
  '-V': 'python python2 python3 rustc cargo uv ruff tmux ssh pip pip3',
  '-v': 'node npm pnpm yarn perl php ruby nginx tsc gcc clang code composer',
  '-version': 'java javac xcodebuild ffmpeg ffprobe convert magick ant scala',
  version: 'go openssl terraform helm bazel buf minikube kind zig golangci-lint',
  '-VV': 'python3',
}

function toolsByWords(): ReadonlyMap<string, readonly string[]> {
  const words = new Map<string, string[]>()
  for (const [word, tools] of Object.entries(ASKING)) {
    for (const tool of tools.split(/\s+/).filter((name) => name !== '')) {
      words.set(tool, [...(words.get(tool) ?? []), word])
    }
  }
  return words
}

export const VERSIONS: Family = {
  title: 'Asking for a version',
  verbs: [...toolsByWords()].map(([tool, words]) => ({
    names: [tool],
    options: {},
    exactly: words,
    strictEnvironment: true,
  })),
}
