;;; emacs_test.el --- what a user does in Emacs, run by emacs_test.sh  -*- lexical-binding: t -*-

(defvar said nil "What the server showed, newest first.")
(defconst patience 240 "Seconds; reached only when something is broken.")

(defun must (value what)
  (unless value
    (message "FAILED: %s\nthe server said: %S" what said)
    (kill-emacs 1))
  value)

(defmacro await (what condition)
  "Take in what the server sends until CONDITION holds."
  `(let ((end (+ (float-time) patience)) found)
     (while (and (not (setq found ,condition)) (< (float-time) end))
       (accept-process-output nil 0.05))
     (must found ,what)))

(cl-defmethod eglot-handle-notification :before (_server (_method (eql window/showMessage)) &key message &allow-other-keys)
  (push message said))

(setq eglot-workspace-configuration '((:warpmind . (:evaluations 1 :provider "sim" :predict :json-false)))
      eglot-confirm-server-initiated-edits nil
      eglot-sync-connect patience)
(find-file "kernel.cu")
(must (eq major-mode 'cuda-mode) "kernel.cu is not in cuda-mode")
;; As after the first command of a user.
(run-hooks 'post-command-hook)
(await "eglot does not manage the file" (eglot-current-server))
(eglot-signal-didChangeConfiguration (eglot-current-server))

(defun actions ()
  "Titles and actions at the kernel."
  (goto-char (point-min))
  (search-forward "__global__")
  (mapcar (lambda (one) (cons (plist-get one :title) one))
          (jsonrpc-request (eglot-current-server) :textDocument/codeAction
                           (list :textDocument (eglot--TextDocumentIdentifier)
                                 :range (list :start (eglot--pos-to-lsp-position) :end (eglot--pos-to-lsp-position))
                                 :context '(:diagnostics [])))))

(defun run (pattern)
  "Run the action whose title matches PATTERN, as eglot does when a user chooses it."
  (let ((action (must (cdr (cl-assoc-if (lambda (title) (string-match-p pattern title)) (actions)))
                      (format "no action %s in %S" pattern (mapcar #'car (actions))))))
    (if (plist-get action :edit)
        (eglot--apply-workspace-edit (plist-get action :edit))
      (let ((command (plist-get action :command)))
        (eglot-execute-command (eglot-current-server) (intern (plist-get command :command))
                               (plist-get command :arguments))))))

(let ((given (buffer-string)))
  (run "warpmind: Optimize · row_softmax")
  (await "the job does not end" (cl-some (lambda (text) (string-match-p "improved" text)) said))
  (run "warpmind: Explain bottleneck.* · row_softmax")
  (await "no bottleneck is said" (string-match-p "row_softmax" (car said)))
  (goto-char (point-min))
  (search-forward "row_softma")
  (let ((hover (plist-get (plist-get (jsonrpc-request (eglot-current-server) :textDocument/hover
                                                      (eglot--TextDocumentPositionParams))
                                     :contents)
                          :value)))
    (must (string-match-p "bottleneck" hover) (format "hover: %s" hover)))
  (run "warpmind: apply .* faster")
  (must (not (equal given (buffer-string))) "the variant changed nothing")
  (must (string-match-p "this variant is launched as" (buffer-string)) "the variant is not in the buffer")
  (must (not (cl-some (lambda (one) (string-match-p "apply" (car one))) (actions))) "it is offered twice"))
(set-buffer-modified-p nil)
(eglot-shutdown (eglot-current-server))
(require 'lisp-mnt)
(message "Emacs works: %s, eglot %s" emacs-version
         (with-temp-buffer (insert-file-contents (find-library-name "eglot")) (lm-version)))
