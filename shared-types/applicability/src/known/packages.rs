//! The tables of packages: `name` or `name,other=package`, by type of package URL.

/// The ecosystems of [`PACKAGES`] and [`IMPORTS`].
pub(super) const KINDS: [&str; 8] = [
    "pypi", "npm", "maven", "cargo", "gem", "composer", "nuget", "golang",
];

/// Imports that are not named like their package.
pub(super) const IMPORTS: &[(&str, &str)] = &[
    (
        "pypi",
        "antlr4=antlr4-python3-runtime apscheduler=APScheduler attr=attrs babel=Babel bio=biopython \
         bs4=beautifulsoup4 cairo=pycairo cassandra=cassandra-driver clang=libclang clr=pythonnet \
         community=python-louvain compose=docker-compose cv2=opencv-python crypto=pycryptodome \
         cryptodome=pycryptodomex dateutil=python-dateutil dbus=dbus-python discord=discord.py \
         dns=dnspython docx=python-docx dotenv=python-dotenv editor=python-editor engineio=python-engineio \
         exif=exif faiss=faiss-cpu fitz=PyMuPDF flask_cors=Flask-Cors flask_login=Flask-Login \
         flask_sqlalchemy=Flask-SQLAlchemy flask_migrate=Flask-Migrate flask_wtf=Flask-WTF funcy=funcy \
         fuzzywuzzy=fuzzywuzzy gi=PyGObject git=GitPython github=PyGithub gitlab=python-gitlab \
         google.api_core=google-api-core google.auth=google-auth \
         google.cloud.bigquery=google-cloud-bigquery google.cloud.firestore=google-cloud-firestore \
         google.cloud.pubsub=google-cloud-pubsub google.cloud.storage=google-cloud-storage \
         google.generativeai=google-generativeai google.protobuf=protobuf \
         googleapiclient=google-api-python-client grpc=grpcio grpc_tools=grpcio-tools \
         haystack=farm-haystack hydra=hydra-core ipython=ipython jose=python-jose jwt=PyJWT \
         kafka=kafka-python kazoo=kazoo ldap=python-ldap ldap3=ldap3 levenshtein=Levenshtein \
         lxml_html_clean=lxml-html-clean magic=python-magic markdown=Markdown markupsafe=MarkupSafe \
         memcache=python-memcached mpl_toolkits=matplotlib mysqldb=mysqlclient nacl=PyNaCl \
         objc=pyobjc-core onnxruntime=onnxruntime opengl=PyOpenGL openssl=pyOpenSSL osgeo=GDAL \
         paho=paho-mqtt paste=Paste pil=pillow pkg_resources=setuptools pptx=python-pptx \
         prometheus_client=prometheus-client psycopg2=psycopg2 pygraphviz=pygraphviz pylab=matplotlib \
         pymysql=PyMySQL pypdf2=PyPDF2 pyqt5=PyQt5 pyqt6=PyQt6 pyside2=PySide2 pyside6=PySide6 \
         pythoncom=pywin32 pywintypes=pywin32 pytorch_lightning=pytorch-lightning \
         rest_framework=djangorestframework ruamel.yaml=ruamel.yaml \
         sentence_transformers=sentence-transformers sentry_sdk=sentry-sdk serial=pyserial shapefile=pyshp \
         simplejson=simplejson skimage=scikit-image skopt=scikit-optimize sklearn=scikit-learn \
         slugify=python-slugify snappy=python-snappy snowflake.connector=snowflake-connector-python \
         socketio=python-socketio socks=PySocks speech_recognition=SpeechRecognition sqlalchemy=SQLAlchemy \
         stdnum=python-stdnum surprise=scikit-surprise tables=tables telegram=python-telegram-bot \
         tensorflow_addons=tensorflow-addons tensorflow_datasets=tensorflow-datasets \
         tensorflow_hub=tensorflow-hub tensorflow_probability=tensorflow-probability \
         tree_sitter=tree-sitter umap=umap-learn usb=pyusb useragents=user-agents vlc=python-vlc \
         webob=WebOb websocket=websocket-client werkzeug=Werkzeug win32api=pywin32 win32com=pywin32 \
         win32con=pywin32 win32gui=pywin32 wx=wxPython xdg=pyxdg xlsxwriter=XlsxWriter yaml=PyYAML \
         zmq=pyzmq zope.interface=zope.interface absl=absl-py altair=altair \
         arabic_reshaper=arabic-reshaper azure.identity=azure-identity \
         azure.storage.blob=azure-storage-blob barcode=python-barcode binance=python-binance bcrypt=bcrypt \
         can=python-can cfscrape=cfscrape chess=chess consul=python-consul corsheaders=django-cors-headers \
         crontab=python-crontab debug_toolbar=django-debug-toolbar decouple=python-decouple \
         django_filters=django-filter doc2txt=docx2txt dwave=dwave-ocean-sdk ffmpeg=ffmpeg-python \
         graphql=graphql-core hjson=hjson imblearn=imbalanced-learn influxdb_client=influxdb-client \
         jks=pyjks jsonrpc=json-rpc jupyter_client=jupyter-client keycloak=python-keycloak \
         lightgbm=lightgbm louvain=louvain mecab=mecab-python3 mediapipe=mediapipe mistralai=mistralai \
         mock=mock multipart=python-multipart neo4j=neo4j nmap=python-nmap oauth2client=oauth2client \
         opensearchpy=opensearch-py pwn=pwntools pydantic_settings=pydantic-settings pyasn1=pyasn1 \
         pycocotools=pycocotools pyximport=Cython cython=Cython qrcode=qrcode rtree=Rtree saml2=pysaml2 \
         sass=libsass tabula=tabula-py tlz=toolz u2flib_server=python-u2flib-server unidecode=Unidecode \
         vobject=vobject wandb=wandb whisper=openai-whisper whois=python-whois xmlsec=xmlsec \
         yfinance=yfinance pyzbar=pyzbar",
    ),
    (
        "maven",
        "org.springframework=org.springframework/spring-core \
         org.springframework.boot=org.springframework.boot/spring-boot \
         org.springframework.web=org.springframework/spring-web \
         org.springframework.beans=org.springframework/spring-beans \
         org.springframework.context=org.springframework/spring-context \
         org.springframework.security=org.springframework.security/spring-security-core \
         org.springframework.data.jpa=org.springframework.data/spring-data-jpa \
         org.springframework.kafka=org.springframework.kafka/spring-kafka \
         org.springframework.jdbc=org.springframework/spring-jdbc \
         org.springframework.web.servlet=org.springframework/spring-webmvc \
         org.springframework.transaction=org.springframework/spring-tx \
         org.springframework.test=org.springframework/spring-test com.google.common=com.google.guava/guava \
         com.google.gson=com.google.code.gson/gson com.google.inject=com.google.inject/guice \
         com.google.protobuf=com.google.protobuf/protobuf-java \
         com.fasterxml.jackson.databind=com.fasterxml.jackson.core/jackson-databind \
         com.fasterxml.jackson.core=com.fasterxml.jackson.core/jackson-core \
         com.fasterxml.jackson.annotation=com.fasterxml.jackson.core/jackson-annotations \
         org.apache.commons.lang3=org.apache.commons/commons-lang3 \
         org.apache.commons.io=commons-io/commons-io \
         org.apache.commons.collections4=org.apache.commons/commons-collections4 \
         org.apache.commons.text=org.apache.commons/commons-text \
         org.apache.commons.csv=org.apache.commons/commons-csv \
         org.apache.commons.codec=commons-codec/commons-codec \
         org.apache.http=org.apache.httpcomponents/httpclient \
         org.apache.hc.client5=org.apache.httpcomponents.client5/httpclient5 \
         org.apache.logging.log4j=org.apache.logging.log4j/log4j-core org.apache.log4j=log4j/log4j \
         org.apache.kafka=org.apache.kafka/kafka-clients org.apache.poi=org.apache.poi/poi \
         org.apache.spark=org.apache.spark/spark-core_2.12 org.apache.mina=org.apache.mina/mina-core \
         org.apache.velocity=org.apache.velocity/velocity-engine-core \
         org.apache.lucene=org.apache.lucene/lucene-core org.hibernate=org.hibernate/hibernate-core \
         org.junit.jupiter=org.junit.jupiter/junit-jupiter org.junit=junit/junit \
         org.mockito=org.mockito/mockito-core org.assertj.core=org.assertj/assertj-core \
         org.hamcrest=org.hamcrest/hamcrest org.slf4j=org.slf4j/slf4j-api \
         ch.qos.logback=ch.qos.logback/logback-classic \
         org.jetbrains.kotlin=org.jetbrains.kotlin/kotlin-stdlib \
         kotlinx.coroutines=org.jetbrains.kotlinx/kotlinx-coroutines-core \
         kotlinx.serialization=org.jetbrains.kotlinx/kotlinx-serialization-core \
         okhttp3=com.squareup.okhttp3/okhttp retrofit2=com.squareup.retrofit2/retrofit \
         okio=com.squareup.okio/okio io.netty=io.netty/netty-all io.grpc=io.grpc/grpc-core \
         reactor.core=io.projectreactor/reactor-core io.reactivex=io.reactivex.rxjava3/rxjava \
         lombok=org.projectlombok/lombok javax.servlet=javax.servlet/javax.servlet-api \
         jakarta.servlet=jakarta.servlet/jakarta.servlet-api \
         jakarta.persistence=jakarta.persistence/jakarta.persistence-api \
         javax.persistence=javax.persistence/javax.persistence-api \
         org.eclipse.jetty=org.eclipse.jetty/jetty-server org.yaml.snakeyaml=org.yaml/snakeyaml \
         org.json=org.json/json org.jsoup=org.jsoup/jsoup org.joda.time=joda-time/joda-time \
         org.testng=org.testng/testng org.bouncycastle=org.bouncycastle/bcprov-jdk18on \
         com.zaxxer.hikari=com.zaxxer/HikariCP org.flywaydb=org.flywaydb/flyway-core \
         org.postgresql=org.postgresql/postgresql com.mysql.cj=com.mysql/mysql-connector-j \
         io.micrometer=io.micrometer/micrometer-core org.mapstruct=org.mapstruct/mapstruct \
         io.vertx=io.vertx/vertx-core org.quartz=org.quartz-scheduler/quartz \
         com.amazonaws=com.amazonaws/aws-java-sdk-core \
         software.amazon.awssdk=software.amazon.awssdk/sdk-core \
         org.elasticsearch=org.elasticsearch/elasticsearch",
    ),
    (
        "gem",
        "active_record=activerecord active_support=activesupport action_controller=actionpack \
         action_view=actionview active_job=activejob action_mailer=actionmailer active_model=activemodel \
         active_storage=activestorage action_cable=actioncable bundler=bundler rspec=rspec \
         factory_bot=factory_bot dotenv=dotenv faraday=faraday",
    ),
    (
        "composer",
        "illuminate=laravel/framework symfony=symfony/symfony doctrine.orm=doctrine/orm \
         guzzlehttp=guzzlehttp/guzzle monolog=monolog/monolog twig=twig/twig carbon=nesbot/carbon \
         phpunit=phpunit/phpunit",
    ),
    (
        "nuget",
        "newtonsoft.json=Newtonsoft.Json microsoft.entityframeworkcore=Microsoft.EntityFrameworkCore \
         system.text.json=System.Text.Json automapper=AutoMapper dapper=Dapper serilog=Serilog xunit=xunit \
         nunit.framework=NUnit moq=Moq mediatr=MediatR fluentvalidation=FluentValidation polly=Polly",
    ),
    (
        "cargo",
        "proc_macro2=proc-macro2 tracing_subscriber=tracing-subscriber async_trait=async-trait \
         once_cell=once_cell serde_json=serde_json serde_yaml=serde_yaml num_traits=num-traits \
         tokio_util=tokio-util tower_http=tower-http actix_web=actix-web",
    ),
];

/// Imports of Python that prose uses as names of their packages.
pub(super) const PYTHON_IMPORTS_IN_PROSE: &str = "bs4 cv2 dateutil dotenv faiss fitz imblearn osgeo pil psycopg2 pyqt5 pyqt6 pypdf2 pyside2 pyside6 \
         rest_framework sentence_transformers skimage sklearn zmq";

/// Packages whose names stand for themselves in prose.
pub(super) const PACKAGES: &[(&str, &str)] = &[
    (
        "pypi",
        "aiohttp airflow=apache-airflow alembic ansible-core apache-airflow arviz asgiref astropy asyncpg \
         bokeh boto3 botocore celery certifi channels cryptography cupy cvxpy dash dask datasets django \
         djangorestframework drf=djangorestframework falcon fastai fastapi flask gensim geopandas gevent \
         gradio grpcio gunicorn h5py httpx huggingface-hub,huggingface_hub=huggingface-hub hypothesis jax \
         jaxlib jinja,jinja2=Jinja2 joblib jsonschema jupyter jupyterlab keras kivy kombu langchain \
         librosa lightgbm lightning llama-index loguru lxml matplotlib mitmproxy mkdocs mypy networkx nltk \
         numba numpy nuitka openai opencv-python,opencv=opencv-python openpyxl optuna pandas paramiko \
         peewee pillow pip-tools plotly polars poetry-core pre-commit protobuf psutil psycopg psycopg2 \
         pyarrow pycryptodome pydantic pygame pyinstaller pyjwt=PyJWT pylint pymongo pymc pymysql=PyMySQL \
         pyopenssl=pyOpenSSL pyparsing pyside6=PySide6 pyspark pytest pytest-asyncio python-dateutil \
         pytorch,torch=torch pytorch-lightning pytz pywin32 pyyaml=PyYAML ray reportlab requests rich ruff \
         scikit-image scikit-learn scipy scrapy seaborn selenium sentence-transformers setuptools shapely \
         simpy spacy sphinx sqlalchemy=SQLAlchemy sqlmodel starlette statsmodels streamlit sympy \
         tensorboard tensorflow tf=tensorflow tiktoken tokenizers torchaudio torchvision tornado tqdm \
         transformers twisted typer ujson urllib3 uvicorn uvloop virtualenv wagtail werkzeug=Werkzeug \
         wheel xarray xgboost zeep diffusers accelerate bitsandbytes onnx onnxruntime triton vllm xformers \
         pydantic-core typing-extensions,typing_extensions=typing-extensions flask-sqlalchemy marshmallow \
         nox httpcore anyio trio websockets black isort flake8 mechanize feedparser bleach jupyter-server \
         notebook nbconvert",
    ),
    (
        "npm",
        "react react-dom vue angular.js=angular svelte next.js,nextjs=next nuxt,nuxt.js=nuxt \
         express.js,expressjs=express express webpack vite rollup esbuild typescript eslint prettier jest \
         mocha cypress playwright puppeteer redux axios lodash jquery d3,d3.js=d3 three.js,threejs=three \
         socket.io bootstrap tailwindcss,tailwind=tailwindcss postcss storybook electron gatsby \
         react-native react-router react-router-dom vue-router vuex pinia rxjs zod prisma mongoose \
         sequelize typeorm nestjs=@nestjs/core fastify koa graphql apollo-client=@apollo/client \
         babel=@babel/core parcel turbo lerna nx eslint-plugin-react styled-components \
         @emotion/react=@emotion/react material-ui,mui=@mui/material antd \
         ng-bootstrap=@ng-bootstrap/ng-bootstrap vitest testing-library=@testing-library/react moment \
         dayjs date-fns chalk yargs inquirer ts-node ts-jest nodemon jsonwebtoken \
         multer sharp winston pino handlebars ejs pug remix=@remix-run/react astro solid-js preact \
         alpinejs ember.js=ember-source backbone.js=backbone node-fetch undici ws cross-env husky \
         node-sass sass-loader css-loader swr highcharts chart.js leaflet mapbox-gl video.js tinymce \
         ckeditor quill marked dompurify underscore.js=underscore angular=@angular/core",
    ),
    (
        "maven",
        "spring-boot=org.springframework.boot/spring-boot springboot=org.springframework.boot/spring-boot \
         spring-core=org.springframework/spring-core \
         spring-security=org.springframework.security/spring-security-core guava=com.google.guava/guava \
         gson=com.google.code.gson/gson \
         jackson,jackson-databind=com.fasterxml.jackson.core/jackson-databind \
         log4j2,log4j-core=org.apache.logging.log4j/log4j-core logback=ch.qos.logback/logback-classic \
         slf4j=org.slf4j/slf4j-api hibernate=org.hibernate/hibernate-core mockito=org.mockito/mockito-core \
         lombok=org.projectlombok/lombok junit5=org.junit.jupiter/junit-jupiter netty=io.netty/netty-all \
         okhttp=com.squareup.okhttp3/okhttp retrofit=com.squareup.retrofit2/retrofit \
         jetty=org.eclipse.jetty/jetty-server hikaricp=com.zaxxer/HikariCP flyway=org.flywaydb/flyway-core \
         mapstruct=org.mapstruct/mapstruct snakeyaml=org.yaml/snakeyaml \
         commons-lang3=org.apache.commons/commons-lang3 assertj=org.assertj/assertj-core \
         testng=org.testng/testng selenium-java=org.seleniumhq.selenium/selenium-java \
         struts2=org.apache.struts/struts2-core",
    ),
    (
        "cargo",
        "tokio serde serde_json actix-web axum hyper reqwest clap diesel sqlx rayon tonic prost bevy wgpu \
         tauri leptos yew dioxus anyhow thiserror tracing chrono crossbeam itertools rusqlite tokio-util \
         tower-http wasm-bindgen pyo3 syn nom winit egui",
    ),
    (
        "gem",
        "rails,ruby-on-rails=rails activerecord activesupport actionpack actionview activejob actionmailer \
         activestorage sinatra rspec sidekiq devise nokogiri capistrano rubocop capybara jekyll omniauth \
         carrierwave paperclip kaminari factory_bot unicorn turbolinks webpacker shakapacker sprockets \
         bootsnap hotwire=turbo-rails turbo-rails loofah rexml",
    ),
    (
        "composer",
        "laravel=laravel/framework symfony=symfony/symfony phpunit=phpunit/phpunit doctrine=doctrine/orm \
         twig=twig/twig guzzle=guzzlehttp/guzzle drupal=drupal/core \
         magento=magento/product-community-edition yii2=yiisoft/yii2 cakephp=cakephp/cakephp \
         codeigniter=codeigniter4/framework monolog=monolog/monolog livewire=livewire/livewire \
         filament=filament/filament phpstan=phpstan/phpstan wordpress=johnpbloch/wordpress-core",
    ),
    (
        "nuget",
        "newtonsoft.json=Newtonsoft.Json json.net=Newtonsoft.Json \
         entityframeworkcore,efcore=Microsoft.EntityFrameworkCore automapper=AutoMapper dapper=Dapper \
         serilog=Serilog xunit=xunit nunit=NUnit moq=Moq mediatr=MediatR fluentvalidation=FluentValidation \
         hangfire=Hangfire.Core masstransit=MassTransit signalr=Microsoft.AspNetCore.SignalR \
         blazor=Microsoft.AspNetCore.Components swashbuckle=Swashbuckle.AspNetCore npgsql=Npgsql",
    ),
    (
        "golang",
        "gorm=gorm.io/gorm cobra=github.com/spf13/cobra gorilla=github.com/gorilla/mux \
         logrus=github.com/sirupsen/logrus testify=github.com/stretchr/testify client-go=k8s.io/client-go \
         grpc-go=google.golang.org/grpc zap=go.uber.org/zap",
    ),
];

/// Names that mean one package in every text, many of several words.
pub(super) const PHRASES: &[(&str, &str, &str)] = &[
    ("apollo client", "npm", "@apollo/client"),
    ("apache airflow", "pypi", "apache-airflow"),
    (
        "apache commons text",
        "maven",
        "org.apache.commons/commons-text",
    ),
    ("apache poi", "maven", "org.apache.poi/poi"),
    ("apache mina", "maven", "org.apache.mina/mina-core"),
    ("asp.net core", "nuget", "Microsoft.AspNetCore.App"),
    ("angular", "npm", "@angular/core"),
    ("angular cli", "npm", "@angular/cli"),
    (
        "android gradle plugin",
        "maven",
        "com.android.tools.build/gradle",
    ),
    ("django rest framework", "pypi", "djangorestframework"),
    (
        "entity framework core",
        "nuget",
        "Microsoft.EntityFrameworkCore",
    ),
    ("ef core", "nuget", "Microsoft.EntityFrameworkCore"),
    ("junit 5", "maven", "org.junit.jupiter/junit-jupiter"),
    ("material ui", "npm", "@mui/material"),
    ("pytorch lightning", "pypi", "pytorch-lightning"),
    ("react native", "npm", "react-native"),
    ("react router", "npm", "react-router"),
    ("react dom", "npm", "react-dom"),
    ("redux toolkit", "npm", "@reduxjs/toolkit"),
    ("ruby on rails", "gem", "rails"),
    ("scikit learn", "pypi", "scikit-learn"),
    (
        "spring boot",
        "maven",
        "org.springframework.boot/spring-boot",
    ),
    (
        "spring framework",
        "maven",
        "org.springframework/spring-core",
    ),
    (
        "spring security",
        "maven",
        "org.springframework.security/spring-security-core",
    ),
    (
        "spring data",
        "maven",
        "org.springframework.data/spring-data-commons",
    ),
    (
        "spring cloud",
        "maven",
        "org.springframework.cloud/spring-cloud-commons",
    ),
    (
        "spring kafka",
        "maven",
        "org.springframework.kafka/spring-kafka",
    ),
    ("styled components", "npm", "styled-components"),
    ("tailwind css", "npm", "tailwindcss"),
    ("vue router", "npm", "vue-router"),
    ("vue cli", "npm", "@vue/cli"),
];
